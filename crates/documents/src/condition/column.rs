//! Conditions on columns of a table that is not ours: `fetch_mime_detected = application/pdf`.

use super::comparison::{Sign, Test};
use crate::document::{FieldType, FieldValue};

/// A condition on a column, before the type of the column is known.
#[derive(Clone, Debug)]
pub struct ColumnCondition {
    column: String,
    sign: Sign,
    operand: String,
    /// The condition on a value that is written as text, and on a number where the order of numbers counts.
    text: Option<Test>,
    number: Option<Test>,
}

/// A condition on the values of a column.
#[derive(Clone, Debug)]
pub struct ColumnTest {
    test: Test,
    /// The text that every value is that it holds for, if it is one.
    only: Option<String>,
}

impl ColumnCondition {
    /// The condition that a text states: `COLUMN SIGN VALUE`.
    ///
    /// # Errors
    /// The text is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let none = || format!("“{text}” is not a condition such as “fetch_status = 200”");
        let at = text.find(Sign::STARTS).ok_or_else(none)?;
        let (column, rest) = text.split_at(at);
        let (sign, operand) = Sign::split(rest).ok_or_else(none)?;
        let (column, operand) = (column.trim(), operand.trim());
        if column.is_empty() || column.contains(char::is_whitespace) {
            return Err(none());
        }
        let quoted = |quote| operand.strip_prefix(quote)?.strip_suffix(quote);
        let operand = quoted('"').or_else(|| quoted('\'')).unwrap_or(operand);
        let as_text = Test::new(sign, FieldType::Text, operand);
        if let (true, Err(e)) = (sign.is_pattern(), &as_text) {
            // A mistake in a regular expression is one whatever the column is.
            return Err(format!("“{text}”: {e}"));
        }
        let is_order = matches!(sign, Sign::AtLeast | Sign::AtMost | Sign::Above | Sign::Below);
        let as_number = is_order.then(|| Test::new(sign, FieldType::F64, operand).ok());
        Ok(Self {
            column: column.to_owned(),
            sign,
            operand: operand.to_owned(),
            text: as_text.ok(),
            number: as_number.flatten(),
        })
    }

    /// The name of the column.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// The condition on values of a type.
    ///
    /// # Errors
    /// The value of the condition is not of that type.
    pub fn of_type(&self, field_type: FieldType) -> Result<ColumnTest, String> {
        if field_type == FieldType::Instant && !self.sign.is_pattern() && !begins_with_a_day(&self.operand) {
            return Err(format!(
                "{}: “{}” is not a day or a time such as 2024-03-01 or 2024-03-01T05:00:00Z",
                self.column, self.operand
            ));
        }
        let test = Test::new(self.sign, field_type, &self.operand);
        let is_text = field_type == FieldType::Text && self.sign == Sign::Is;
        Ok(ColumnTest {
            test: test.map_err(|e| format!("{}: {e}", self.column))?,
            only: is_text.then(|| self.operand.clone()),
        })
    }

    /// Whether it holds for a value that is written as text. Larger and smaller are those of numbers if both are
    /// numbers.
    pub fn holds_for_text(&self, value: &str) -> bool {
        let number = self.number.as_ref().zip(value.parse::<f64>().ok());
        match number {
            Some((test, number)) => test.holds(FieldValue::Float(number)),
            None => self
                .text
                .as_ref()
                .is_some_and(|test| test.holds(FieldValue::Text(value))),
        }
    }
}

impl ColumnTest {
    /// Whether it holds for a value.
    pub fn holds(&self, value: FieldValue<'_>) -> bool {
        self.test.holds(value)
    }

    /// The one text that it holds for, if there is only one.
    pub fn only(&self) -> Option<&str> {
        self.only.as_deref()
    }
}

/// Whether a text begins with a day, as texts of instants do.
fn begins_with_a_day(text: &str) -> bool {
    let form = b"0000-00-00";
    let bytes = text.as_bytes();
    let is_like = |(byte, form): (&u8, &u8)| {
        if *form == b'0' {
            byte.is_ascii_digit()
        } else {
            byte == form
        }
    };
    bytes.len() >= form.len() && bytes.iter().zip(form).all(is_like)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_compared_by_their_type() {
        let condition = |text: &str| ColumnCondition::parse(text).expect(text);
        let number = condition("fetch_status >= 200")
            .of_type(FieldType::U32)
            .expect("a number");
        assert!(number.holds(FieldValue::Integer(200)) && !number.holds(FieldValue::Integer(199)));
        let text = condition("content_languages ~ ^(eng|isl)$")
            .of_type(FieldType::Text)
            .expect("a text");
        assert!(text.holds(FieldValue::Text("isl")) && !text.holds(FieldValue::Text("isl,eng")));
        let only = condition("host = 'a b'").of_type(FieldType::Text).expect("a text");
        assert_eq!(only.only(), Some("a b"));
        let as_text = condition("length < 1000");
        assert!(as_text.holds_for_text("999") && !as_text.holds_for_text("1001"));
        assert!(condition("status = 200").holds_for_text("200") && !condition("status = 200").holds_for_text("200.0"));
        for (text, says) in [
            ("status", "is not a condition such as"),
            ("= 3", "is not a condition such as"),
            ("a b = 3", "is not a condition such as"),
            ("a ~ (", "unclosed group"),
        ] {
            let error = ColumnCondition::parse(text).expect_err(text);
            assert!(error.contains(says), "{text}: {error}");
        }
        assert!(condition("n > x").of_type(FieldType::U64).is_err());
        let instant = condition("fetch_time >= 2024-03-01")
            .of_type(FieldType::Instant)
            .expect("a day");
        assert!(instant.holds(FieldValue::Text("2024-03-01T00:00:00Z")));
        assert!(!instant.holds(FieldValue::Text("2024-02-29T23:59:59Z")));
        assert!(
            condition("fetch_time > 1709251200")
                .of_type(FieldType::Instant)
                .is_err()
        );
    }
}
