//! The text format of Prometheus.

use std::fmt::Write;

use dehusk_engine::ledger::Ledger;

/// The classes of records and their numbers.
pub(super) fn records(ledger: &Ledger) -> Vec<(String, f64)> {
    let mut lines = vec![("class=\"emitted\",reason=\"\"".to_owned(), ledger.emitted as f64)];
    let filtered = ledger
        .filtered
        .iter()
        .map(|(reason, n)| ("filtered", reason.to_string(), n));
    let failed = ledger
        .failed
        .iter()
        .map(|(reason, n)| ("failed", reason.to_string(), n));
    lines.extend(filtered.chain(failed).map(|(class, reason, n)| {
        let labels = format!("class=\"{class}\",reason=\"{reason}\"");
        (labels, n as f64)
    }));
    lines
}

pub(super) fn as_lines(lines: &[(String, f64)]) -> Vec<(&str, f64)> {
    lines.iter().map(|(labels, value)| (labels.as_str(), *value)).collect()
}

/// The value of a label that is not of a closed list.
pub(super) fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// The text format.
#[derive(Default)]
pub(super) struct MetricsText(String);

impl MetricsText {
    pub(super) fn metric(&mut self, name: &str, kind: &str, help: &str, lines: &[(&str, f64)]) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP dehusk_{name} {help}\n# TYPE dehusk_{name} {kind}");
        for (labels, value) in lines {
            let labels = if labels.is_empty() {
                String::new()
            } else {
                format!("{{{labels}}}")
            };
            let _ = writeln!(self.0, "dehusk_{name}{labels} {value}");
        }
    }

    pub(super) fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.metric(name, "gauge", help, &[("", value)]);
    }

    pub(super) fn counter(&mut self, name: &str, help: &str, value: f64) {
        self.metric(name, "counter", help, &[("", value)]);
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}
