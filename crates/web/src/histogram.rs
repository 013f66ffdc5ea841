//! Histograms as SVG, like Figures 3 and 4 of CETD: a bar for each of many values in a row, one panel under the other.

use std::fmt::Write;

use super::chart::round_up;
use super::escape;

/// A diagram with a bar for each value.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// The title above it.
    pub title: String,
    /// The label of the horizontal axis.
    pub axis: String,
    /// The values from left to right: finite, and not below 0. Each is marked or not.
    pub bars: Vec<(f64, bool)>,
    /// The names of bars that are marked, and of those that are not.
    pub names: [String; 2],
    /// A level across all bars, with its name.
    pub level: (String, f64),
}

/// Width of the drawing, in pixels.
const WIDTH: f64 = 960.0;
/// Height of a panel, and of the heading.
const HEIGHT: f64 = 280.0;
const HEADING: f64 = 30.0;
/// Margins: left for the scale, right, top for title and legend, bottom for the axis.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 44.0;

/// Most columns, one for each pixel. A column of several bars shows the highest.
const COLUMNS: usize = (WIDTH - LEFT - RIGHT) as usize;

/// Longest heading, in characters.
const LONGEST: usize = 120;

/// Colours that colour-blind people can distinguish: of marked bars, of others, and of the level.
const MARKED: &str = "#0072b2";
const OTHER: &str = "#e69f00";
const LEVEL: &str = "#000000";

/// Draws panels one under the other below a heading, as an SVG file.
pub fn histograms(heading: &str, panels: &[Histogram]) -> String {
    let height = HEADING + HEIGHT * panels.len() as f64;
    let mut short: String = heading.chars().take(LONGEST).collect();
    if short.len() < heading.len() {
        short.push('…');
    }
    let (whole, short) = (escape(heading), escape(&short));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} \
         {height}\" font-family=\"sans-serif\" font-size=\"12\">\n<title>{whole}</title>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n<text x=\"{LEFT}\" y=\"20\">{short}</text>\n"
    );
    for (i, panel) in panels.iter().enumerate() {
        let _ = writeln!(svg, "<g transform=\"translate(0 {})\">", HEADING + HEIGHT * i as f64);
        draw(panel, &mut svg);
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

/// Draws a panel. Writing to a string never fails, so the results of `write!` are ignored.
fn draw(panel: &Histogram, svg: &mut String) {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let highest = panel.bars.iter().map(|bar| bar.0).fold(panel.level.1, f64::max);
    let most = round_up(highest);
    let y = |value: f64| bottom - value / most * (bottom - TOP);
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"22\" font-size=\"14\">{}</text>",
        escape(&panel.title)
    );
    draw_legend(panel, svg);
    for step in 0..=4 {
        let value = most * f64::from(step) / 4.0;
        let at = y(value);
        let (left, below) = (LEFT - 8.0, at + 4.0);
        let _ = writeln!(svg, "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#dddddd\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"{left}\" y=\"{below:.1}\" text-anchor=\"end\">{value}</text>"
        );
    }
    let columns = columns(&panel.bars);
    let width = (right - LEFT) / columns.len().max(1) as f64;
    for (colour, is_marked) in [(OTHER, false), (MARKED, true)] {
        let mut path = String::new();
        let own = columns
            .iter()
            .enumerate()
            .filter(|(_, (_, marked))| *marked == is_marked);
        for (place, (value, _)) in own {
            let x = LEFT + (place as f64 + 0.5) * width;
            let _ = write!(path, "M{x:.1} {bottom}V{:.1}", y(*value));
        }
        let thick = (width * 0.9).max(0.5);
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{thick:.2}\"/>"
        );
    }
    let at = y(panel.level.1);
    let _ = writeln!(
        svg,
        "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"{LEVEL}\" stroke-dasharray=\"6 3\"/>"
    );
    let _ = writeln!(
        svg,
        "<path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"#333333\"/>"
    );
    let below = bottom + 16.0;
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"{below}\">1</text>");
    let _ = writeln!(
        svg,
        "<text x=\"{right}\" y=\"{below}\" text-anchor=\"end\">{}</text>",
        panel.bars.len()
    );
    let (middle, below) = ((LEFT + right) / 2.0, bottom + 32.0);
    let axis = escape(&panel.axis);
    let _ = writeln!(
        svg,
        "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">{axis}</text>"
    );
}

/// Names the colours, and the level with its value.
fn draw_legend(panel: &Histogram, svg: &mut String) {
    let level = format!("{}: {:.2}", panel.level.0, panel.level.1);
    let keys = [
        (MARKED, "none", &panel.names[0]),
        (OTHER, "none", &panel.names[1]),
        (LEVEL, "6 3", &level),
    ];
    for (place, (colour, dashes, name)) in keys.into_iter().enumerate() {
        let from = LEFT + 280.0 * place as f64;
        let (to, after) = (from + 24.0, from + 30.0);
        let thick = if dashes == "none" { 8 } else { 1 };
        let _ = writeln!(
            svg,
            "<path d=\"M{from} 38H{to}\" stroke=\"{colour}\" stroke-width=\"{thick}\" stroke-dasharray=\"{dashes}\"/>\
             <text x=\"{after}\" y=\"42\">{}</text>",
            escape(name)
        );
    }
}

/// The bars, or the highest of each of [`COLUMNS`] parts of them.
fn columns(bars: &[(f64, bool)]) -> Vec<(f64, bool)> {
    let count = bars.len().min(COLUMNS);
    let start = |column: usize| column * bars.len() / count;
    let highest = |column: usize| {
        let part = bars[start(column)..start(column + 1)].iter();
        part.copied()
            .max_by(|one, other| one.0.total_cmp(&other.0))
            .unwrap_or_default()
    };
    (0..count).map(highest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_of_many_bars_shows_the_highest() {
        let few = [(1.0, true), (2.0, false)];
        assert_eq!(columns(&few), few);
        let many: Vec<(f64, bool)> = (0..2 * COLUMNS).map(|place| (place as f64, place % 2 == 1)).collect();
        let columns = columns(&many);
        assert_eq!(columns.len(), COLUMNS);
        assert!(columns.iter().all(|(_, marked)| *marked));
        assert_eq!(columns[COLUMNS - 1], (2.0 * COLUMNS as f64 - 1.0, true));
    }
}
