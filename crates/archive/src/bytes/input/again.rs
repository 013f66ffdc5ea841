//! Reading the bytes of an input once more.

use super::{Backing, Buffered, Input};

impl Input<'_> {
    /// The same bytes once more, from an offset on; `None` if they come once, or if reading them may wait.
    pub(crate) fn again(&self, offset: u64) -> Option<Self> {
        let (source, end) = match self {
            Input::Slice { data, source, .. } => {
                let (data, source) = (*data, *source);
                let position = usize::try_from(offset).unwrap_or(usize::MAX).min(data.len());
                return Some(Input::Slice { data, position, source });
            }
            Input::Part { source, end, .. } => (*source, *end),
            Input::Buffered(Buffered {
                backing: Backing::Ranges(source),
                end,
                ..
            }) => (*source, *end),
            Input::Buffered(_) => return None,
        };
        (!source.may_wait()).then(|| Self::ranges(source, offset).until(end))
    }

    /// Tells a source in memory that what is between an offset and the position will not be read again soon.
    pub(crate) fn release_from(&self, offset: u64) {
        if let Input::Slice {
            source: Some(source), ..
        } = self
        {
            source.release(offset..self.offset());
        }
    }
}
