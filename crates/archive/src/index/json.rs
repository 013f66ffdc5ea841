//! A JSON object of strings in one line, written as Python's `json.dumps` does: in ASCII alone.

/// An object that is being written.
pub(super) struct Object<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

impl<'o> Object<'o> {
    pub(super) fn begin(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, is_empty: true }
    }

    pub(super) fn field(&mut self, name: &str, value: &str) {
        if !std::mem::take(&mut self.is_empty) {
            self.out.extend_from_slice(b", ");
        }
        write_string(name, self.out);
        self.out.extend_from_slice(b": ");
        write_string(value, self.out);
    }

    /// How many bytes there are before what comes next.
    pub(super) fn written(&self) -> usize {
        self.out.len()
    }

    pub(super) fn end(self) {
        self.out.push(b'}');
    }
}

/// Appends a string in quotation marks.
pub(super) fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for c in text.chars() {
        match c {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            '\u{8}' => out.extend_from_slice(b"\\b"),
            '\u{c}' => out.extend_from_slice(b"\\f"),
            ' '..='~' => out.push(c as u8),
            _ => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                }
            }
        }
    }
    out.push(b'"');
}
