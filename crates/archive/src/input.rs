//! The stored bytes of an archive, from a map or from a stream, behind one small interface.
//!
//! Parsers ask to see at least so many bytes and say how many they took; a slice shows all that is left, a stream
//! reads what is missing. A stream keeps [`KEEP`] bytes behind its position, so that after damage a scan can go back.

use std::io::{self, Read};

use super::map::Map;

/// How many bytes behind the position can be gone back to, in both kinds of input.
pub(crate) const KEEP: usize = 4 << 20;

/// How much a stream reads at a time.
const READ: usize = 256 << 10;

/// Stored bytes with a position.
pub(crate) enum Input<'a> {
    Slice {
        data: &'a [u8],
        position: usize,
        /// The map that the slice is of.
        map: Option<&'a Map>,
    },
    Stream(Stream<'a>),
}

/// A reader with the bytes that were read but not yet dropped.
pub(crate) struct Stream<'a> {
    reader: Box<dyn Read + Send + 'a>,
    /// Bytes that were read, and behind them room that was.
    buffer: Vec<u8>,
    /// Where the bytes that were read end in `buffer`.
    filled: usize,
    position: usize,
    /// Offset in the stream of `buffer[0]`.
    base: u64,
    ended: bool,
    error: Option<io::Error>,
}

impl<'a> Input<'a> {
    /// Input from memory, starting at `position`.
    pub(crate) fn slice(data: &'a [u8], position: u64) -> Self {
        Input::Slice {
            data,
            position: (position as usize).min(data.len()),
            map: None,
        }
    }

    /// Input from a map, starting at `position`.
    pub(crate) fn map(map: &'a Map, position: u64) -> Self {
        Input::Slice {
            data: map,
            position: (position as usize).min(map.len()),
            map: Some(map),
        }
    }

    /// Input from a reader.
    pub(crate) fn stream(reader: Box<dyn Read + Send + 'a>) -> Self {
        Input::Stream(Stream {
            reader,
            buffer: Vec::new(),
            filled: 0,
            position: 0,
            base: 0,
            ended: false,
            error: None,
        })
    }

    /// Offset of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        match self {
            Input::Slice { position, .. } => *position as u64,
            Input::Stream(s) => s.base + s.position as u64,
        }
    }

    /// The bytes in view, without reading.
    pub(crate) fn view(&self) -> &[u8] {
        match self {
            Input::Slice { data, position, .. } => &data[*position..],
            Input::Stream(s) => &s.buffer[s.position..s.filled],
        }
    }

    /// The bytes in view, at least `want` of them unless the input ends before.
    pub(crate) fn peek(&mut self, want: usize) -> &[u8] {
        if let Input::Stream(s) = self {
            s.fill(want);
        }
        self.view()
    }

    /// The next `most` bytes, or what there is of them: the same ones whatever else is in view.
    pub(crate) fn feed(&mut self, most: usize) -> &[u8] {
        let view = self.peek(most);
        &view[..view.len().min(most)]
    }

    /// Reads more than is in view; `false` at the end of the input.
    pub(crate) fn grow(&mut self) -> bool {
        let had = self.view().len();
        self.peek(had + 1).len() > had
    }

    /// Goes on by `n` bytes, which must be in view.
    pub(crate) fn consume(&mut self, n: usize) {
        match self {
            Input::Slice { data, position, .. } => *position = (*position + n).min(data.len()),
            Input::Stream(s) => s.position = (s.position + n).min(s.filled),
        }
    }

    /// Goes back (or on) to an offset, at most [`KEEP`] bytes behind.
    pub(crate) fn seek(&mut self, offset: u64) {
        match self {
            Input::Slice { data, position, .. } => *position = (offset as usize).min(data.len()),
            Input::Stream(s) => s.position = (offset.saturating_sub(s.base) as usize).min(s.filled),
        }
    }

    /// The bytes at an offset, where they are at hand: a stream keeps at least [`KEEP`] behind its position.
    pub(crate) fn past(&self, offset: u64, length: u64) -> Option<&[u8]> {
        let (held, base) = match self {
            Input::Slice { data, .. } => (*data, 0),
            Input::Stream(s) => (&s.buffer[..s.filled], s.base),
        };
        let start = usize::try_from(offset.checked_sub(base)?).ok()?;
        held.get(start..start.checked_add(usize::try_from(length).ok()?)?)
    }

    /// The error that ended the stream before its time, once; or why a map's bytes cannot be believed.
    pub(crate) fn take_error(&mut self) -> Option<io::Error> {
        match self {
            Input::Slice { map, .. } => map.and_then(|map| map.check().err()),
            Input::Stream(s) => s.error.take(),
        }
    }
}

impl Stream<'_> {
    fn fill(&mut self, want: usize) {
        while !self.ended && self.filled - self.position < want {
            // Dropping only when half of the buffer is beyond recall keeps the copying linear.
            if self.position > 2 * KEEP {
                let drop = self.position - KEEP;
                self.buffer.copy_within(drop..self.filled, 0);
                self.filled -= drop;
                self.base += drop as u64;
                self.position = KEEP;
            }
            // Room is cleared once, not for every read: a pipe may give a few bytes at a time.
            if self.buffer.len() < self.filled + READ {
                self.buffer.resize(self.filled + READ, 0);
            }
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.ended = true,
                Ok(n) => self.filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.error = Some(e);
                    self.ended = true;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_shows_what_a_slice_shows() {
        let data: Vec<u8> = (0..20_000_000u32).map(|i| ((i * 7) >> 3) as u8).collect();
        let mut slice = Input::slice(&data, 0);
        let mut stream = Input::stream(Box::new(&data[..]));
        let mut step = 1;
        while slice.offset() < data.len() as u64 {
            let n = step.min(data.len() - slice.offset() as usize);
            assert_eq!(slice.peek(n)[..n], stream.peek(n)[..n]);
            slice.consume(n);
            stream.consume(n);
            assert_eq!(slice.offset(), stream.offset());
            step = step * 3 % 700_001 + 1;
        }
        let back = data.len() as u64 - KEEP as u64;
        slice.seek(back);
        stream.seek(back);
        assert_eq!(slice.peek(KEEP), stream.peek(KEEP));
        assert!(!stream.grow());
    }
}
