//! Code: in backticks within a paragraph, else fenced.

use super::Markdown;
use super::escape::LineSoFar;

impl Markdown<'_> {
    pub(super) fn end_inline_code(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.out.ends_with('`') {
            // Two runs of backticks would be one.
            return self.escaped(text);
        }
        self.begin_inline('`');
        let fence = "`".repeat(1 + longest_run(text));
        let is_padded = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
        let pad = if is_padded { " " } else { "" };
        for part in [&fence, pad] {
            self.out.push_str(part);
        }
        self.in_cell(text);
        for part in [pad, &fence] {
            self.out.push_str(part);
        }
        self.line = LineSoFar::Inside;
    }

    /// Writes a text literally, except for what ends a cell.
    pub(super) fn in_cell(&mut self, text: &str) {
        if self.table.as_ref().is_some_and(|table| table.row.is_some()) {
            self.out.push_str(&text.replace('|', "\\|"))
        } else {
            self.out.push_str(text)
        }
    }

    pub(super) fn block(&mut self, language: &str, text: &str) {
        let fence = "`".repeat(longest_run(text).max(2) + 1);
        self.out.push_str(&fence);
        self.out.push_str(language);
        for line in text.split('\n') {
            self.out.push('\n');
            let start = self.out.len();
            self.prefix();
            if line.is_empty() {
                self.trim(start);
            }
            self.out.push_str(line);
        }
        self.out.push('\n');
        self.prefix();
        self.out.push_str(&fence);
    }
}

/// The length of the longest run of backticks.
pub(super) fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
