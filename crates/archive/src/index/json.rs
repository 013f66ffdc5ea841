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
        self.string(name);
        self.out.extend_from_slice(b": ");
        self.string(value);
    }

    /// How many bytes there are before what comes next.
    pub(super) fn written(&self) -> usize {
        self.out.len()
    }

    pub(super) fn end(self) {
        self.out.push(b'}');
    }

    fn string(&mut self, text: &str) {
        self.out.push(b'"');
        for c in text.chars() {
            match c {
                '"' => self.out.extend_from_slice(b"\\\""),
                '\\' => self.out.extend_from_slice(b"\\\\"),
                '\n' => self.out.extend_from_slice(b"\\n"),
                '\r' => self.out.extend_from_slice(b"\\r"),
                '\t' => self.out.extend_from_slice(b"\\t"),
                '\u{8}' => self.out.extend_from_slice(b"\\b"),
                '\u{c}' => self.out.extend_from_slice(b"\\f"),
                ' '..='~' => self.out.push(c as u8),
                _ => {
                    let mut units = [0; 2];
                    for unit in c.encode_utf16(&mut units) {
                        self.out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                    }
                }
            }
        }
        self.out.push(b'"');
    }
}
