//! The parameters of a request.

use super::Refusal;
use dehusk_archive::escape::terminal;
use dehusk_documents::suggestion::nearest;

/// The parameters after the `?`, decoded, in their order.
#[derive(Debug)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads the parameters. Each must be one of `known`.
    pub(crate) fn parse(query: Option<&str>, known: &[&str]) -> Result<Self, Refusal> {
        let mut parameters = Vec::new();
        let pairs = query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        for pair in pairs {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decoded = decode(name).zip(decode(value));
            let Some((name, value)) = decoded else {
                let message = "the query has an escape that is no UTF-8";
                return Err(Refusal::bad_request("query", message));
            };
            if !known.contains(&name.as_str()) {
                let hint = nearest(&name, known.iter().copied());
                let message = format!("unknown parameter “{}”{hint}", terminal(&name));
                return Err(Refusal::bad_request("unknown_parameter", message));
            }
            parameters.push((name, value));
        }
        Ok(Self(parameters))
    }

    /// The value of a parameter that may be there once.
    pub(crate) fn get<'q>(&'q self, name: &'q str) -> Result<Option<&'q str>, Refusal> {
        let mut values = self.all(name);
        let value = values.next();
        match values.next() {
            None => Ok(value),
            Some(_) => {
                let message = format!("the parameter “{name}” may be there once only");
                Err(Refusal::bad_request("repeated_parameter", message))
            }
        }
    }

    /// The values of a parameter, in their order.
    pub(crate) fn all<'q>(&'q self, name: &'q str) -> impl Iterator<Item = &'q str> {
        let values = self.0.iter().filter(move |(known, _)| known == name);
        values.map(|(_, value)| value.as_str())
    }
}

/// Decodes `%41` and `+`. `None` if the result is no UTF-8.
fn decode(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        out.push(match byte {
            b'+' => b' ',
            b'%' => match bytes.get(at..at + 2).and_then(hexadecimal) {
                Some(value) => {
                    at += 2;
                    value
                }
                None => b'%',
            },
            byte => *byte,
        });
    }
    String::from_utf8(out).ok()
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(digits)
        .ok()
        .filter(|digits| !digits.starts_with('+'))?;
    u8::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded() {
        let query = Query::parse(Some("url=a%20b+c%&set=x%3D1&set=y"), &["url", "set"]).unwrap();
        assert_eq!(query.get("url").unwrap(), Some("a b c%"));
        assert_eq!(query.all("set").collect::<Vec<_>>(), ["x=1", "y"]);
        assert_eq!(query.get("set").unwrap_err().error, "repeated_parameter");
        assert_eq!(Query::parse(Some("url=%FF"), &["url"]).unwrap_err().error, "query");
        assert_eq!(
            Query::parse(Some("ulr=a"), &["url"]).unwrap_err().error,
            "unknown_parameter"
        );
    }
}
