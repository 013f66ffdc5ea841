//! Sweeps: a preset for every value in a range of one parameter.

use super::columns::Unit;
use super::report::Report;
use dehusk_documents::suggestion::nearest;
use dehusk_engine::config::{Config, ConfigError, ConfigErrorKind, unknown_extractor};
use dehusk_extract::{Parameters, Preset, Value, registry};
use dehusk_web::{Curve, Panel};

/// Most values of a sweep. More are a typing error.
const MOST: usize = 1000;

/// A parameter and its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The preset.
    pub preset: String,
    /// The parameter.
    pub parameter: String,
    /// Its values, ascending.
    pub values: Vec<f64>,
}

impl Sweep {
    /// Reads `PRESET.PARAM=from..to:step`, both ends included.
    ///
    /// # Errors
    /// The text has another form, or its numbers make no range.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let form = || {
            mistake(format!(
                "“{text}” is not of the form PRESET.PARAM=from..to:step, such as coreex.threshold=0.5..0.95:0.05"
            ))
        };
        let (name, range) = text.split_once('=').ok_or_else(form)?;
        let (preset, parameter) = name.trim().split_once('.').ok_or_else(form)?;
        let (from, rest) = range.split_once("..").ok_or_else(form)?;
        let (to, step) = rest.split_once(':').ok_or_else(form)?;
        let number = |n: &str| n.trim().parse::<f64>().ok().filter(|n| n.is_finite()).ok_or_else(form);
        let (first, last, width) = (number(from)?, number(to)?, number(step)?);
        if width <= 0.0 || last < first {
            return Err(mistake(format!(
                "“{text}”: the range must ascend and the step be greater than 0"
            )));
        }
        // The last value is included, despite the error of binary fractions.
        let steps = ((last - first) / width + 1e-9).floor();
        if steps >= MOST as f64 {
            return Err(mistake(format!("“{text}”: these are more than {MOST} values")));
        }
        let digits = decimals(from).max(decimals(step));
        let values = (0..=steps as usize).map(|i| rounded(first + i as f64 * width, digits));
        Ok(Self {
            preset: preset.to_owned(),
            parameter: parameter.to_owned(),
            values: values.collect(),
        })
    }

    /// The name of the extractor with one of the values.
    pub fn name(&self, value: f64) -> String {
        format!("{}.{}={value}", self.preset, self.parameter)
    }

    /// One preset for each value, under its [`name`](Self::name).
    ///
    /// # Errors
    /// There is no such preset or parameter, the parameter is no number, or it does not take one of the values.
    pub fn presets(&self, config: &Config) -> Result<Vec<Preset>, ConfigError> {
        let (base, mut parameters) = self.parameters(config)?;
        let mut preset = |value: &f64| {
            self.set(&mut parameters, *value)?;
            let name = self.name(*value);
            registry::build(&name, &base, &parameters).map_err(|e| mistake(format!("{name}: {e}")))
        };
        self.values.iter().map(&mut preset).collect()
    }

    /// The built-in preset that the swept one is based on, and all parameters of the swept one.
    fn parameters(&self, config: &Config) -> Result<(String, Parameters), ConfigError> {
        let all = config.resolved_preset(&self.preset).and_then(|(base, changes)| {
            let parameters = registry::parameters(base)?.overlaid(&changes).ok()?;
            Some((base.to_owned(), parameters))
        });
        all.ok_or_else(|| unknown_extractor(&self.preset, config, "extract.extractors"))
    }

    fn set(&self, parameters: &mut Parameters, value: f64) -> Result<(), ConfigError> {
        let full = format!("{}.{}", self.preset, self.parameter);
        let value = match parameters.get(&self.parameter) {
            Some(Value::Float(_)) => Value::Float(value),
            Some(Value::Integer(_)) if value.fract() == 0.0 => Value::Integer(value as i64),
            Some(Value::Integer(_)) => {
                return Err(mistake(format!("“{full}” takes whole numbers, not {value}")));
            }
            Some(_) => return Err(mistake(format!("“{full}” is not a number and cannot be swept"))),
            None => {
                let hint = nearest(&self.parameter, parameters.names());
                return Err(mistake(format!("“{full}” is no parameter{hint}")));
            }
        };
        parameters.set(&self.parameter, value);
        Ok(())
    }

    /// Curves of a report's leading precision, recall and F1 over all pages; `None` if it has none.
    pub fn panel(&self, report: &Report) -> Option<Panel> {
        let family = report.leading()?.family;
        let curve = |heading: &str, name: &str| {
            let column = report
                .columns
                .iter()
                .position(|c| c.family == family && c.heading == heading)?;
            let points = self.values.iter().filter_map(|value| {
                let name = self.name(*value);
                let row = report.groups.iter().find(|r| r.by == "all" && r.extractor == name)?;
                Some((*value, row.figures[column]?))
            });
            Some(Curve {
                name: name.to_owned(),
                points: points.collect(),
            })
        };
        debug_assert!(
            report
                .columns
                .iter()
                .all(|c| c.heading != "F1" || c.unit == Unit::Share)
        );
        Some(Panel {
            title: format!("{}: {} by {}", self.preset, family, self.parameter),
            axis: self.parameter.clone(),
            curves: vec![curve("P", "precision")?, curve("R", "recall")?, curve("F1", "F1")?],
        })
    }
}

fn mistake(message: String) -> ConfigError {
    ConfigError::new(ConfigErrorKind::InvalidValue, message)
}

/// Returns the digits after the decimal point of a number as it is written.
fn decimals(number: &str) -> i32 {
    let (digits, exponent) = number.trim().split_once(['e', 'E']).unwrap_or((number.trim(), "0"));
    let fraction = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32);
    (fraction - exponent.parse::<i32>().unwrap_or(0)).clamp(0, 15)
}

/// A number without the error of binary fractions.
fn rounded(value: f64, digits: i32) -> f64 {
    format!("{value:.*}", digits as usize).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_both_ends_and_clean_numbers() {
        let sweep = Sweep::parse("coreex.weight_ratio=0.8..1:0.05").expect("a sweep");
        assert_eq!(sweep.values, [0.8, 0.85, 0.9, 0.95, 1.0]);
        assert_eq!(sweep.name(0.85), "coreex.weight_ratio=0.85");
        assert_eq!(
            Sweep::parse("a.b.c=0..0.3:0.1").expect("a sweep").values,
            [0.0, 0.1, 0.2, 0.3]
        );
        assert_eq!(Sweep::parse("a.b=1..6:2").expect("a sweep").values, [1.0, 3.0, 5.0]);
        assert_eq!(Sweep::parse("a.b=-1..1:1").expect("a sweep").values, [-1.0, 0.0, 1.0]);
        assert_eq!(Sweep::parse("a.b=2..2:1").expect("a sweep").values, [2.0]);
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in [
            "a",
            "a=0..1:0.1",
            "a.b=0..1",
            "a.b=0-1:1",
            "a.b=0..x:1",
            "a.b=0..inf:1",
            "a.b=NaN..1:1",
        ] {
            assert!(
                Sweep::parse(text)
                    .expect_err(text)
                    .to_string()
                    .contains("is not of the form"),
                "{text}"
            );
        }
        for text in ["a.b=0..1:0", "a.b=0..1:-1", "a.b=1..0:0.1"] {
            assert!(
                Sweep::parse(text).expect_err(text).to_string().contains("must ascend"),
                "{text}"
            );
        }
        assert!(
            Sweep::parse("a.b=0..1:0.0001")
                .expect_err("too many")
                .to_string()
                .contains("more than 1000")
        );
    }

    #[test]
    fn what_cannot_be_swept_is_named() {
        let error = |text: &str| {
            let sweep = Sweep::parse(text).expect("a sweep");
            sweep.presets(&Config::default()).expect_err(text).to_string()
        };
        assert_eq!(
            error("corex.threshold=0..1:1"),
            "unknown extractor “corex”; did you mean “coreex”?"
        );
        let hint = "“coreex.treshold” is no parameter; did you mean “threshold”?";
        assert_eq!(error("coreex.treshold=0..1:1"), hint);
        assert!(error("coreex.subset=0..1:1").contains("not a number"));
        assert!(error("coreex.threshold=0..2:1").contains("coreex.threshold=2: “threshold” must lie between"));
    }
}
