//! Bold and italic text.
//!
//! CommonMark reads `**` as the start of bold text only before a letter or digit, or after a space or punctuation, and
//! as its end the other way round. What follows the end is known when it is written, so a mark that no reader would
//! take for one is removed then.

use super::super::writer::Emphasis;
use super::Markdown;

impl Emphasis {
    fn mark(self) -> &'static str {
        match self {
            Emphasis::Strong => "**",
            Emphasis::Italic => "*",
        }
    }
}

/// An open element.
pub(super) struct OpenEmphasis {
    kind: Emphasis,
    /// Whether it is in a link.
    in_link: bool,
    /// Whether it is one that is not written: in headings and code, and in bold text once more.
    is_plain: bool,
    /// Where its mark is in the output.
    start: Option<usize>,
}

/// An element that has just ended.
#[derive(Clone, Copy)]
pub(super) struct EndedEmphasis {
    kind: Emphasis,
    start: usize,
    end: usize,
    /// It is one only if no letter or digit follows.
    is_unsure: bool,
}

impl Markdown<'_> {
    pub(super) fn open_emphasis(&mut self, kind: Emphasis) {
        let is_plain =
            self.heading.is_some() || self.code.is_some() || self.emphases.iter().any(|open| open.kind == kind);
        self.emphases.push(OpenEmphasis {
            kind,
            in_link: self.link.is_some(),
            is_plain,
            start: None,
        });
    }

    pub(super) fn close_emphasis(&mut self) {
        let Some(open) = self.emphases.pop() else { return };
        if let Some(start) = open.start {
            self.end_emphasis(open.kind, start);
        }
    }

    /// Begins the elements and the link that opened since the last text. `next` is what follows.
    pub(super) fn begin_inline(&mut self, next: char) {
        self.settle_emphasis(next);
        self.begin_emphases(false);
        self.begin_link();
        self.begin_emphases(true);
        self.ended_emphasis = None;
    }

    fn begin_emphases(&mut self, in_link: bool) {
        for i in 0..self.emphases.len() {
            let open = &mut self.emphases[i];
            if open.is_plain || open.start.is_some() || open.in_link != in_link {
                continue;
            }
            // Right after another one, the marks would be one run.
            match self.ended_emphasis.take_if(|ended| ended.end == self.out.len()) {
                // Where two elements begin together, one of them cannot be continued without the other.
                Some(ended) if ended.kind == open.kind && !self.out[ended.start..].starts_with("***") => {
                    self.out.truncate(ended.end - open.kind.mark().len());
                    open.start = Some(ended.start);
                }
                Some(ended) => {
                    self.ended_emphasis = Some(ended);
                    open.is_plain = true;
                }
                None => {
                    open.start = Some(self.out.len());
                    self.out.push_str(open.kind.mark());
                }
            }
        }
    }

    /// Ends the marks within a link, or all, at the end of a line. The next text in their elements begins them again.
    pub(super) fn end_emphases(&mut self, in_link: bool) {
        for i in (0..self.emphases.len()).rev() {
            let open = &mut self.emphases[i];
            if (!in_link || open.in_link)
                && let Some(start) = open.start.take()
            {
                let kind = open.kind;
                self.end_emphasis(kind, start);
            }
        }
    }

    fn end_emphasis(&mut self, kind: Emphasis, start: usize) {
        let mark = kind.mark();
        let content = self.out[start + mark.len()..].trim_start_matches('*');
        let first = content.chars().next();
        let last = content.trim_end_matches('*').chars().next_back();
        let before = self.out[..start].trim_end_matches('*').chars().next_back();
        let is_before_mark = first.is_none_or(|c| !c.is_alphanumeric());
        // Between two marks, a reader takes it for the end of what is open around it.
        let is_between = is_before_mark
            && before.is_some_and(|c| !c.is_whitespace())
            && self.emphases.iter().any(|open| open.start.is_some());
        if is_between || is_before_mark && !before.is_none_or(separates) {
            self.out.replace_range(start..start + mark.len(), "");
            if let Some(inner) = self.ended_emphasis.as_mut().filter(|inner| inner.start > start) {
                inner.start -= mark.len();
                inner.end -= mark.len();
            }
            return;
        }
        if let Some(inner) = self
            .ended_emphasis
            .take_if(|inner| inner.is_unsure && inner.end == self.out.len())
        {
            self.remove_marks(inner);
        }
        self.out.push_str(mark);
        self.ended_emphasis = Some(EndedEmphasis {
            kind,
            start,
            end: self.out.len(),
            is_unsure: last.is_none_or(|c| !c.is_alphanumeric()),
        });
    }

    /// Decides about the element that ended last, now that the next character is known.
    pub(super) fn settle_emphasis(&mut self, next: char) {
        let is_none = |ended: &mut EndedEmphasis| ended.is_unsure && ended.end == self.out.len() && !separates(next);
        if let Some(ended) = self.ended_emphasis.take_if(is_none) {
            self.remove_marks(ended);
        }
    }

    fn remove_marks(&mut self, ended: EndedEmphasis) {
        let length = ended.kind.mark().len();
        let content = ended.start + length;
        self.out.truncate(ended.end - length);
        self.out.replace_range(ended.start..content, "");
    }
}

/// Whether a character is white space or punctuation to every reader.
fn separates(c: char) -> bool {
    c.is_whitespace() || c.is_ascii_punctuation()
}
