//! The stored bytes of an archive as decoders see them: a view that can grow, with a position in it.
//!
//! A decoder asks for a least number of bytes and reports how many it took. Bytes in memory show all that is left. Of a
//! source that holds its bytes in parts, the first part is shown in place, until more is needed than it has. Every
//! other source, and a stream, is read into a buffer as far as it is asked for. The buffer keeps [`KEEP`] bytes before
//! the position, so that a scan can go back after damage.

mod again;

use std::io::{self, Read};

use super::{ByteSource, Part};

/// How many bytes before the position an input can go back to, whatever it reads from.
pub(crate) const KEEP: usize = 4 << 20;

/// How many bytes a buffer asks its source for at a time.
const READ: usize = 256 << 10;

/// How many bytes it asks a source of ranges for at first: a window's worth, since each request may cost a round trip.
const READ_FIRST: usize = 1 << 20;

/// How many bytes after a record it asks for if only this record is needed: enough to see what follows the record.
const AFTER: usize = 64 << 10;

/// Stored bytes with a position.
pub(crate) enum Input<'a> {
    Slice {
        data: &'a [u8],
        position: usize,
        /// The source whose bytes these are, if any.
        source: Option<&'a dyn ByteSource>,
    },
    /// A part of a source, from where the input begins.
    Part {
        part: Part,
        /// Offset in the archive where the input begins.
        base: u64,
        /// How far it has come from there.
        position: usize,
        source: &'a dyn ByteSource,
        /// Offset in the archive where the input ends, at or after the end of the part.
        end: u64,
    },
    Buffered(Buffered<'a>),
}

/// Bytes that were read and not yet dropped, and where to read more.
pub(crate) struct Buffered<'a> {
    backing: Backing<'a>,
    /// Bytes that were read, followed by room for more.
    buffer: Vec<u8>,
    /// Where the bytes that were read end in `buffer`.
    filled: usize,
    position: usize,
    /// Offset in the archive of `buffer[0]`.
    base: u64,
    /// Offset in the archive where the input ends, if its source does not end before.
    end: u64,
    /// How many bytes to ask a source of ranges for at first.
    first: usize,
    ended: bool,
    error: Option<io::Error>,
}

/// Where a buffer's bytes come from.
enum Backing<'a> {
    Stream(Box<dyn Read + Send + 'a>),
    Ranges(&'a dyn ByteSource),
}

impl<'a> Input<'a> {
    /// Input from memory, starting at `position`.
    pub(crate) fn slice(data: &'a [u8], position: u64) -> Self {
        Input::Slice {
            data,
            position: (position as usize).min(data.len()),
            source: None,
        }
    }

    /// Compressed input from a source, starting at `position`: in place where it lies in memory, since decoders take
    /// any bytes.
    pub(crate) fn compressed(source: &'a dyn ByteSource, position: u64) -> Self {
        match source.bytes() {
            Some(data) => Input::Slice {
                data,
                position: (position as usize).min(data.len()),
                source: Some(source),
            },
            None => Self::ranges(source, position),
        }
    }

    /// Input from a source, starting at `position`, through a buffer of our own, or from a part that stays as it is:
    /// what is parsed cannot change.
    pub(crate) fn ranges(source: &'a dyn ByteSource, position: u64) -> Self {
        Self::buffered(Backing::Ranges(source), position.min(source.size()))
    }

    /// The same input, of which only about this many bytes are wanted.
    pub(crate) fn wanting(mut self, length: u64) -> Self {
        if let Input::Buffered(b) = &mut self
            && let Ok(length @ 0..READ) = usize::try_from(length)
        {
            b.first = length + AFTER;
        }
        self
    }

    /// The same input of a source, up to an offset: it ends there, as if the source did.
    pub(crate) fn until(mut self, limit: u64) -> Self {
        match &mut self {
            Input::Slice { data, position, .. } => {
                let limit = usize::try_from(limit).unwrap_or(usize::MAX).min(data.len());
                *data = &data[..limit];
                *position = (*position).min(limit);
            }
            // Nothing was read yet, so no part is shown.
            Input::Part { .. } => {}
            Input::Buffered(b) => b.end = b.end.min(limit),
        }
        self
    }

    /// Input from a reader.
    pub(crate) fn stream(reader: Box<dyn Read + Send + 'a>) -> Self {
        Self::buffered(Backing::Stream(reader), 0)
    }

    fn buffered(backing: Backing<'a>, base: u64) -> Self {
        let end = match backing {
            Backing::Ranges(source) => source.size(),
            Backing::Stream(_) => u64::MAX,
        };
        Input::Buffered(Buffered::new(backing, base, end))
    }

    /// Offset of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        match self {
            Input::Slice { position, .. } => *position as u64,
            Input::Part { base, position, .. } => base + *position as u64,
            Input::Buffered(b) => b.base + b.position as u64,
        }
    }

    /// The bytes in view, without reading.
    pub(crate) fn view(&self) -> &[u8] {
        match self {
            Input::Slice { data, position, .. } => &data[*position..],
            Input::Part {
                part, base, position, ..
            } => &part.at(*base)[*position..],
            Input::Buffered(b) => &b.buffer[b.position..b.filled],
        }
    }

    /// The bytes in view, at least `want` of them unless the input ends before.
    pub(crate) fn peek(&mut self, want: usize) -> &[u8] {
        self.enter_part();
        self.leave_part(want);
        if let Input::Buffered(b) = self {
            b.fill(want);
        }
        self.view()
    }

    /// As [`Input::peek`], but without those bytes that a source has not at hand, unless it has not even one. For those
    /// who want to see more than they may need.
    pub(crate) fn peek_at_hand(&mut self, want: usize) -> &[u8] {
        self.enter_part();
        if let Input::Part { part, source, .. } = self {
            let goes_on = source.is_ready(part.range().end);
            self.leave_part(if goes_on { want } else { 1 });
        }
        if let Input::Buffered(b) = self {
            b.fill(1);
            while b.has_at_hand() && b.filled - b.position < want {
                let had = b.filled - b.position;
                b.fill(had + 1);
                if b.filled - b.position == had {
                    break;
                }
            }
        }
        self.view()
    }

    /// The bytes of [`Input::peek_at_hand`] as far as they are in one piece, so that no part is copied.
    pub(crate) fn peek_in_place(&mut self, want: usize) -> &[u8] {
        self.enter_part();
        match self {
            Input::Part { .. } => self.peek(1),
            _ => self.peek_at_hand(want),
        }
    }

    /// Shows the part that the input begins in, if its source has parts and nothing was read yet.
    fn enter_part(&mut self) {
        let Input::Buffered(b) = self else { return };
        if let Backing::Ranges(source) = b.backing
            && let Some(part) = b.first_part(source)
        {
            *self = Input::Part {
                part,
                base: b.base,
                position: 0,
                source,
                end: b.end,
            };
        }
    }

    /// Continues with a buffer if fewer bytes are left of the part than are wanted, and it is not the source's last.
    fn leave_part(&mut self, want: usize) {
        let Input::Part {
            part,
            base,
            position,
            source,
            end,
        } = self
        else {
            return;
        };
        let held = part.at(*base);
        if held.len() - *position >= want || part.range().end >= *end {
            return;
        }
        let start = position.saturating_sub(KEEP);
        let mut buffered = Buffered::new(Backing::Ranges(*source), *base + start as u64, *end);
        buffered.buffer.reserve_exact(held.len() - start + READ);
        buffered.buffer.extend_from_slice(&held[start..]);
        buffered.filled = buffered.buffer.len();
        buffered.position = *position - start;
        *self = Input::Buffered(buffered);
    }

    /// The next `most` bytes, or those that are left: the same ones whatever else is in view.
    pub(crate) fn feed(&mut self, most: usize) -> &[u8] {
        let view = self.peek(most);
        &view[..view.len().min(most)]
    }

    /// Reads more than is in view; `false` at the end of the input.
    pub(crate) fn read_more(&mut self) -> bool {
        let had = self.view().len();
        self.peek(had + 1).len() > had
    }

    /// Advances by `n` bytes, which must be in view.
    pub(crate) fn consume(&mut self, n: usize) {
        match self {
            Input::Slice { data, position, .. } => *position = (*position + n).min(data.len()),
            Input::Part {
                part, base, position, ..
            } => *position = (*position + n).min(part.at(*base).len()),
            Input::Buffered(b) => b.position = (b.position + n).min(b.filled),
        }
    }

    /// Moves to an offset, at most [`KEEP`] bytes back.
    pub(crate) fn seek(&mut self, offset: u64) {
        match self {
            Input::Slice { data, position, .. } => *position = (offset as usize).min(data.len()),
            Input::Part {
                part, base, position, ..
            } => *position = (offset.saturating_sub(*base) as usize).min(part.at(*base).len()),
            Input::Buffered(b) => b.position = (offset.saturating_sub(b.base) as usize).min(b.filled),
        }
    }

    /// The bytes at an offset, where they are in memory: a buffer keeps at least [`KEEP`] before its position.
    pub(crate) fn past(&self, offset: u64, length: u64) -> Option<&[u8]> {
        let (held, base) = match self {
            Input::Slice { data, .. } => (*data, 0),
            Input::Part { part, base, .. } => (part.at(*base), *base),
            Input::Buffered(b) => (&b.buffer[..b.filled], b.base),
        };
        let start = usize::try_from(offset.checked_sub(base)?).ok()?;
        held.get(start..start.checked_add(usize::try_from(length).ok()?)?)
    }

    /// Why what was read so far cannot be trusted, or why reading ended too soon. An error of reading is returned once.
    pub(crate) fn take_error(&mut self) -> Option<io::Error> {
        let (source, error) = match self {
            Input::Slice { source, .. } => (*source, None),
            Input::Part { source, .. } => (Some(*source), None),
            Input::Buffered(b) => match b.backing {
                Backing::Ranges(source) => (Some(source), b.error.take()),
                Backing::Stream(_) => (None, b.error.take()),
            },
        };
        // A source that has changed is the better reason for an error of reading.
        source.and_then(|source| source.check().err()).or(error)
    }
}

impl<'a> Buffered<'a> {
    fn new(backing: Backing<'a>, base: u64, end: u64) -> Self {
        Self {
            backing,
            buffer: Vec::new(),
            filled: 0,
            position: 0,
            base,
            end,
            first: READ_FIRST,
            ended: false,
            error: None,
        }
    }

    /// The part that the input begins in, if nothing was read yet and the source has parts.
    fn first_part(&mut self, source: &dyn ByteSource) -> Option<Part> {
        while self.filled == 0 && !self.ended && self.base < self.end {
            match source.part(self.base) {
                // A part that holds nothing there, or more than the input may show, is of no use.
                Ok(part) => {
                    let is_good = |part: &Part| !part.at(self.base).is_empty() && part.range().end <= self.end;
                    return part.filter(is_good);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.error = Some(e);
                    self.ended = true;
                }
            }
        }
        None
    }

    fn fill(&mut self, want: usize) {
        while !self.ended && self.filled - self.position < want {
            // Dropping only when half of the buffer is out of reach keeps the copying linear.
            if self.position > 2 * KEEP {
                let drop = self.position - KEEP;
                self.buffer.copy_within(drop..self.filled, 0);
                self.filled -= drop;
                self.base += drop as u64;
                self.position = KEEP;
            }
            let most = self.next_read();
            // Room is zeroed once, not for every read: a pipe may give a few bytes at a time.
            if self.buffer.len() < self.filled + most {
                self.buffer.resize(self.filled + most, 0);
            }
            let offset = self.base + self.filled as u64;
            let room = &mut self.buffer[self.filled..self.filled + most];
            match self.backing.read(offset, self.end, room) {
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

    /// Whether the next bytes cost no request.
    fn has_at_hand(&self) -> bool {
        match self.backing {
            Backing::Stream(_) => true,
            Backing::Ranges(source) => source.is_ready(self.base + self.filled as u64),
        }
    }

    /// How many bytes to ask for.
    fn next_read(&self) -> usize {
        match self.backing {
            Backing::Ranges(_) if self.filled == 0 => self.first,
            _ => READ,
        }
    }
}

impl Backing<'_> {
    /// Reads what is at `offset`, which for a stream is where it is, up to `end`. 0 at the end.
    fn read(&mut self, offset: u64, end: u64, room: &mut [u8]) -> io::Result<usize> {
        let source = match self {
            Backing::Stream(reader) => return reader.read(room),
            Backing::Ranges(source) => source,
        };
        let left = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX);
        if left == 0 {
            return Ok(0);
        }
        let most = left.min(room.len());
        match source.read_at(offset, &mut room[..most])? {
            0 => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("it ends at byte {offset}, but its size is {} bytes", source.size()),
            )),
            n if n > most => Err(io::Error::other(format!(
                "its source returned {n} bytes where {most} were asked for"
            ))),
            n => Ok(n),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// A source that returns fewer bytes than it is asked for.
    #[derive(Debug)]
    struct Short(Vec<u8>);

    impl ByteSource for Short {
        fn size(&self) -> u64 {
            self.0.len() as u64
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(1 + offset as usize % 100_000);
            Ok(super::super::copy_at(&self.0, offset, &mut buffer[..most]))
        }
    }

    /// A source that holds its bytes in parts of this size.
    #[derive(Debug)]
    struct InParts(Vec<u8>, usize);

    impl ByteSource for InParts {
        fn size(&self) -> u64 {
            self.0.len() as u64
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
            Ok(super::super::copy_at(&self.0, offset, buffer))
        }

        fn part(&self, offset: u64) -> io::Result<Option<Part>> {
            let start = offset as usize / self.1 * self.1;
            let end = self.0.len().min(start + self.1);
            Ok(Some(Part::new(start as u64, Arc::new(self.0[start..end].to_vec()))))
        }
    }

    #[test]
    fn a_stream_ranges_and_parts_show_what_a_slice_shows() {
        let data: Vec<u8> = (0..20_000_000u32).map(|i| ((i * 7) >> 3) as u8).collect();
        let source = Short(data.clone());
        // So large that the buffer that follows the first part must not hold all of it.
        let in_parts = InParts(data.clone(), 9_000_000);
        let mut slice = Input::slice(&data, 0);
        let mut stream = Input::stream(Box::new(&data[..]));
        let mut ranges = Input::ranges(&source, 0);
        let mut parts = Input::compressed(&in_parts, 0);
        let mut step = 1;
        while slice.offset() < data.len() as u64 {
            let n = step.min(data.len() - slice.offset() as usize);
            assert_eq!(slice.peek(n)[..n], stream.peek(n)[..n]);
            assert_eq!(slice.view()[..n], ranges.peek(n)[..n]);
            assert_eq!(slice.view()[..n], parts.peek(n)[..n]);
            for input in [&mut slice, &mut stream, &mut ranges, &mut parts] {
                input.consume(n);
            }
            for input in [&stream, &ranges, &parts] {
                assert_eq!(input.offset(), slice.offset());
            }
            step = step * 3 % 700_001 + 1;
        }
        let back = data.len() as u64 - KEEP as u64;
        for input in [&mut slice, &mut stream, &mut ranges, &mut parts] {
            input.seek(back);
        }
        assert_eq!(slice.peek(KEEP), stream.peek(KEEP));
        assert_eq!(slice.view(), ranges.peek(KEEP));
        assert_eq!(slice.view(), parts.peek(KEEP));
        for input in [&mut stream, &mut ranges, &mut parts] {
            assert!(!input.read_more() && input.take_error().is_none());
        }
    }
}
