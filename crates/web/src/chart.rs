//! Small charts: bars of HTML, and lines of SVG.

use super::{escape, grouped};

/// Size of a chart with lines, in the units of its SVG. It is about as wide as it is shown, so that its labels are as
/// large as other text.
const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 150.0;

/// Space for the labels of the axes.
const LEFT: f64 = 56.0;
const BOTTOM: f64 = 24.0;
const TOP: f64 = 10.0;

/// A bar: its name and its length.
pub struct Bar {
    /// The label beside it.
    pub name: String,
    /// Its length, and the number at its end.
    pub value: u64,
}

/// Bars below each other, the longest as wide as the page allows. Each has its number beside it.
pub fn bars(bars: &[Bar]) -> String {
    colored_bars(bars, |_| "fill")
}

/// Bars as [`bars`] writes them. `class` is how a bar looks: `fill`, or `fill bad`.
pub fn colored_bars(bars: &[Bar], class: impl Fn(&Bar) -> &'static str) -> String {
    let most = bars.iter().map(|bar| bar.value).max().unwrap_or(0).max(1);
    let mut out = String::from("<div class=\"bars\">\n");
    for bar in bars {
        let share = bar.value as f64 / most as f64 * 100.0;
        out.push_str(&format!(
            "<span>{}</span><div class=\"track\"><div class=\"{}\" style=\"width:{share:.1}%\"></div></div>\
             <span class=\"number\">{}</span>\n",
            escape(&bar.name),
            class(bar),
            grouped(bar.value)
        ));
    }
    out.push_str("</div>\n");
    out
}

/// A line of a chart: values at equal or unequal distances along the axis.
pub struct Series<'l> {
    /// `(x, y)`, in the order of x.
    pub points: &'l [(f64, f64)],
    /// Its class in the style: `first` or `second`.
    pub class: &'static str,
}

/// A chart with lines over a common axis. `caption` names what is shown, `x_label` and `y_label` write a value of an
/// axis.
pub fn lines(
    caption: &str,
    lines: &[Series<'_>],
    x_label: impl Fn(f64) -> String,
    y_label: impl Fn(f64) -> String,
) -> String {
    let all = || lines.iter().flat_map(|line| line.points);
    let most_x = all().map(|p| p.0).fold(0.0, f64::max).max(1e-9);
    let most_y = round_up(all().map(|p| p.1).fold(0.0, f64::max));
    let x = |value: f64| LEFT + value / most_x * (WIDTH - LEFT - 10.0);
    let y = |value: f64| TOP + (1.0 - value / most_y) * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        "<figure><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n",
        escape(caption)
    );
    for step in 0..=2 {
        let value = most_y * f64::from(step) / 2.0;
        let at = y(value);
        svg.push_str(&format!(
            "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{:.0}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
            WIDTH - 10.0,
            LEFT - 6.0,
            at + 4.0,
            escape(&y_label(value))
        ));
    }
    for (step, anchor) in [(0, "start"), (1, "middle"), (2, "end")] {
        let value = most_x * f64::from(step) / 2.0;
        svg.push_str(&format!(
            "<text x=\"{:.1}\" y=\"{:.0}\" text-anchor=\"{anchor}\">{}</text>\n",
            x(value),
            HEIGHT - 6.0,
            escape(&x_label(value))
        ));
    }
    for line in lines {
        svg.push_str(&format!(
            "<polyline class=\"{}\" fill=\"none\" stroke-width=\"2\" points=\"{}\"/>\n",
            line.class,
            points(line.points, x, y)
        ));
    }
    svg.push_str(&format!(
        "</svg><figcaption>{}</figcaption></figure>\n",
        escape(caption)
    ));
    svg
}

/// The points of a polyline, at the places that `x` and `y` give their values.
pub(super) fn points(values: &[(f64, f64)], x: impl Fn(f64) -> f64, y: impl Fn(f64) -> f64) -> String {
    let points: Vec<String> = values.iter().map(|p| format!("{:.1},{:.1}", x(p.0), y(p.1))).collect();
    points.join(" ")
}

/// The next number that is 1, 2 or 5 times a power of ten.
pub(super) fn round_up(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    let step = steps.into_iter().find(|step| step * power >= value);
    step.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        let rounded: Vec<f64> = [0.0, 0.7, 1.0, 3.0, 6.0, 420.0].map(round_up).to_vec();
        assert_eq!(rounded, [1.0, 1.0, 1.0, 5.0, 10.0, 500.0]);
    }
}
