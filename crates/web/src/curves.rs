//! Curves as SVG, like Figure 5 of CETD: a panel for each sweep, one under the other.

use std::fmt::Write;

use super::chart::points;
use super::escape;

/// A curve of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points: a parameter's value, and a share.
    pub points: Vec<(f64, f64)>,
}

/// A diagram with curves over one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// The title above it.
    pub title: String,
    /// The label of the horizontal axis.
    pub axis: String,
    /// Its curves.
    pub curves: Vec<Curve>,
}

/// Width of the drawing, in pixels.
const WIDTH: f64 = 640.0;
/// Height of a panel.
const HEIGHT: f64 = 380.0;
/// Margins: left for the scale, right for the legend, top for the title, bottom for the axis.
const LEFT: f64 = 56.0;
const RIGHT: f64 = 110.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 52.0;

/// Colours that colour-blind people can distinguish, and dashes for people who see no colours.
const STYLES: [(&str, &str); 4] = [
    ("#0072b2", "6 3"),
    ("#d55e00", "2 3"),
    ("#000000", "none"),
    ("#009e73", "8 2 2 2"),
];

/// Most labels under a horizontal axis, and the width of a letter and of the gap between labels.
const LABELS: usize = 11;
const LETTER: f64 = 7.0;
const GAP: f64 = 12.0;

/// Draws panels one under the other, as an SVG file.
pub fn curves(panels: &[Panel]) -> String {
    let height = HEIGHT * panels.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} \
         {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for (i, panel) in panels.iter().enumerate() {
        let _ = writeln!(svg, "<g transform=\"translate(0 {})\">", HEIGHT * i as f64);
        draw_panel(panel, &mut svg);
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

/// Draws a panel. Writing to a string never fails, so the results of `write!` are ignored.
fn draw_panel(panel: &Panel, svg: &mut String) {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let middle = (LEFT + right) / 2.0;
    let values = || panel.curves.iter().flat_map(|c| c.points.iter().map(|p| p.0));
    let least = values().fold(f64::INFINITY, f64::min);
    let most = values().fold(f64::NEG_INFINITY, f64::max);
    // A single value is in the middle.
    let x = |value: f64| {
        if most > least {
            LEFT + (value - least) / (most - least) * (right - LEFT)
        } else {
            middle
        }
    };
    let y = |share: f64| bottom - share.clamp(0.0, 1.0) * (bottom - TOP);
    let title = escape(&panel.title);
    let _ = writeln!(
        svg,
        "<text x=\"{middle}\" y=\"22\" text-anchor=\"middle\" font-size=\"14\">{title}</text>"
    );
    for i in 0..=5 {
        let share = f64::from(i) / 5.0;
        let at = y(share);
        let (left, below) = (LEFT - 8.0, at + 4.0);
        let _ = writeln!(svg, "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#dddddd\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"{left}\" y=\"{below:.1}\" text-anchor=\"end\">{share:.1}</text>"
        );
    }
    for tick in ticks(panel, right - LEFT) {
        let (at, below) = (x(tick), bottom + 18.0);
        let _ = writeln!(svg, "<path d=\"M{at:.1} {bottom}v5\" stroke=\"#333333\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{below}\" text-anchor=\"middle\">{tick}</text>"
        );
    }
    let (axis, below) = (escape(&panel.axis), bottom + 38.0);
    let _ = writeln!(
        svg,
        "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">{axis}</text>"
    );
    let _ = writeln!(
        svg,
        "<path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"#333333\"/>"
    );
    for (i, curve) in panel.curves.iter().enumerate() {
        let (colour, dashes) = STYLES[i % STYLES.len()];
        let name = escape(&curve.name);
        let line = format!("stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"");
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" {line}/>",
            points(&curve.points, x, y)
        );
        for (value, share) in &curve.points {
            let (at, up) = (x(*value), y(*share));
            let title = format!("<title>{name} {share:.4} at {value}</title>");
            let _ = writeln!(
                svg,
                "<circle cx=\"{at:.1}\" cy=\"{up:.1}\" r=\"2.5\" fill=\"{colour}\">{title}</circle>"
            );
        }
        let (from, to, at) = (right + 12.0, right + 36.0, TOP + 12.0 + 20.0 * i as f64);
        let (after, below) = (to + 6.0, at + 4.0);
        let _ = writeln!(svg, "<path d=\"M{from} {at}H{to}\" {line}/>");
        let _ = writeln!(svg, "<text x=\"{after}\" y=\"{below}\">{name}</text>");
    }
}

/// Returns the values that get a label under an axis of this width: those of the first curve, as many as fit.
fn ticks(panel: &Panel, width: f64) -> impl Iterator<Item = f64> {
    let values = || {
        panel
            .curves
            .first()
            .into_iter()
            .flat_map(|c| c.points.iter().map(|p| p.0))
    };
    let longest = values().map(|tick| tick.to_string().len()).max().unwrap_or(0);
    let fitting = (width / (LETTER * longest as f64 + GAP)) as usize;
    values().step_by(values().count().div_ceil(LABELS.min(fitting).max(1)).max(1))
}
