//! Takes numbers off the front of a slice, little endian.

/// The bytes that are left to read. Every method gives `None` where too few are left, before it allocates anything.
pub(super) struct ModelBytes<'b>(pub &'b [u8]);

impl<'b> ModelBytes<'b> {
    pub fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (head, tail) = self.0.split_at_checked(count)?;
        self.0 = tail;
        Some(head)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, tail) = self.0.split_first_chunk()?;
        self.0 = tail;
        Some(*head)
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn i16(&mut self) -> Option<i16> {
        self.array().map(i16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn i16s(&mut self, count: usize) -> Option<Vec<i16>> {
        let bytes = self.bytes(count.checked_mul(2)?)?;
        Some(bytes.as_chunks().0.iter().map(|&b| i16::from_le_bytes(b)).collect())
    }

    pub fn i32s(&mut self, count: usize) -> Option<Vec<i32>> {
        let bytes = self.bytes(count.checked_mul(4)?)?;
        Some(bytes.as_chunks().0.iter().map(|&b| i32::from_le_bytes(b)).collect())
    }
}
