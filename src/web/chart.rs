//! Small charts: bars of HTML.

use super::{escape, grouped};

/// A bar: its name and its length.
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) value: u64,
}

/// Bars below each other, the longest as wide as the page allows. Each has its number beside it.
pub(crate) fn bars(bars: &[Bar]) -> String {
    let most = bars.iter().map(|bar| bar.value).max().unwrap_or(0).max(1);
    let mut out = String::from("<div class=\"bars\">\n");
    for bar in bars {
        let share = bar.value as f64 / most as f64 * 100.0;
        out.push_str(&format!(
            "<span>{}</span><div class=\"track\"><div class=\"fill\" style=\"width:{share:.1}%\"></div></div>\
             <span class=\"number\">{}</span>\n",
            escape(&bar.name),
            grouped(bar.value)
        ));
    }
    out.push_str("</div>\n");
    out
}
