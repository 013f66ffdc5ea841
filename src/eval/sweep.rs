//! Sweeps: one parameter of one preset over a range of values, every value an extractor of its own.

use toml::{Table, Value};

use super::report::{Report, Unit};
use super::svg::{Curve, Panel};
use crate::config::{Config, ConfigError, nearest};
use crate::extract::{PRESETS, registry};

/// Most values of a sweep; more is a slip of the hand.
const MOST: usize = 1000;

/// Which parameter is varied, and over which values.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The preset.
    pub preset: String,
    /// The parameter; dots lead into sections.
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
            ConfigError(format!(
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
            return Err(ConfigError(format!(
                "“{text}”: the range must ascend and the step be greater than 0"
            )));
        }
        // The last value is meant to be one of them, whatever binary fractions make of the step.
        let steps = ((last - first) / width + 1e-9).floor();
        if steps >= MOST as f64 {
            return Err(ConfigError(format!("“{text}”: these are more than {MOST} values")));
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

    /// Adds an extractor a value to a configuration, and returns the names by which it knows them.
    ///
    /// # Errors
    /// There is no such preset or parameter, the parameter is no number, or does not take one of the values.
    pub fn add_to(&self, config: &mut Config, number: usize) -> Result<Vec<String>, ConfigError> {
        let (base, table) = self.parameters(config)?;
        let mut names = Vec::with_capacity(self.values.len());
        for (i, value) in self.values.iter().enumerate() {
            let mut table = table.clone();
            self.set(&mut table, *value)?;
            // Refused values are told by the sweep's own name, not by that of the preset made for it.
            if let Some(Err(e)) = registry::build(&base, table.clone()) {
                return Err(ConfigError(format!("{}: {e}", self.name(*value))));
            }
            table.insert("base".to_owned(), Value::String(base.clone()));
            let mut name = format!("sweep-{number}-{i}");
            while config.presets.contains_key(&name) {
                name.push('_');
            }
            config.presets.insert(name.clone(), table);
            names.push(name);
        }
        Ok(names)
    }

    /// The built-in preset at the bottom, and all parameters of the one that is swept.
    fn parameters(&self, config: &Config) -> Result<(String, Table), ConfigError> {
        if let Some(table) = registry::parameters(&self.preset) {
            return Ok((self.preset.clone(), table));
        }
        let own = config.presets.get(&self.preset);
        let base = own.and_then(|own| own.get("base")).and_then(Value::as_str);
        let parameters = base.and_then(registry::parameters);
        match (own, base, parameters) {
            (Some(own), Some(base), Some(mut table)) => {
                for (key, value) in own.iter().filter(|(key, _)| *key != "base") {
                    let value = match (value, table.get(key)) {
                        (Value::Integer(n), Some(Value::Float(_))) => Value::Float(*n as f64),
                        _ => value.clone(),
                    };
                    table.insert(key.clone(), value);
                }
                Ok((base.to_owned(), table))
            }
            _ => {
                let known = PRESETS.iter().copied().chain(config.presets.keys().map(String::as_str));
                let hint = nearest(&self.preset, known);
                Err(ConfigError(format!("unknown extractor “{}”{hint}", self.preset)))
            }
        }
    }

    fn set(&self, table: &mut Table, value: f64) -> Result<(), ConfigError> {
        let full = format!("{}.{}", self.preset, self.parameter);
        let mut place = table;
        let mut keys = self.parameter.split('.').peekable();
        while let Some(key) = keys.next() {
            let hint = nearest(key, place.keys().map(|k| k.as_str()));
            let Some(found) = place.get_mut(key) else {
                return Err(ConfigError(format!("“{full}” is no parameter{hint}")));
            };
            match (found, keys.peek()) {
                (Value::Table(inner), Some(_)) => place = inner,
                (Value::Float(number), None) => {
                    *number = value;
                    return Ok(());
                }
                (Value::Integer(number), None) if value.fract() == 0.0 => {
                    *number = value as i64;
                    return Ok(());
                }
                (Value::Integer(_), None) => {
                    return Err(ConfigError(format!("“{full}” takes whole numbers, not {value}")));
                }
                _ => return Err(ConfigError(format!("“{full}” is not a number and cannot be swept"))),
            }
        }
        Ok(())
    }

    /// The curves of a report's leading precision, recall and F1 over all pages; `None` where it has none.
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
                Some((*value, row.figures[column]))
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

/// Digits behind the point of a number as it is written.
fn decimals(number: &str) -> i32 {
    let (digits, exponent) = number.trim().split_once(['e', 'E']).unwrap_or((number.trim(), "0"));
    let behind = digits.split_once('.').map_or(0, |(_, behind)| behind.len() as i32);
    (behind - exponent.parse::<i32>().unwrap_or(0)).clamp(0, 15)
}

/// A number without what binary fractions add to it.
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
                Sweep::parse(text).expect_err(text).0.contains("is not of the form"),
                "{text}"
            );
        }
        for text in ["a.b=0..1:0", "a.b=0..1:-1", "a.b=1..0:0.1"] {
            assert!(Sweep::parse(text).expect_err(text).0.contains("must ascend"), "{text}");
        }
        assert!(
            Sweep::parse("a.b=0..1:0.0001")
                .expect_err("too many")
                .0
                .contains("more than 1000")
        );
    }

    #[test]
    fn what_cannot_be_swept_is_named() {
        let error = |text: &str| {
            let sweep = Sweep::parse(text).expect("a sweep");
            sweep.add_to(&mut Config::default(), 0).expect_err(text).0
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
