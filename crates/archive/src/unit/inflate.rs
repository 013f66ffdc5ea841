//! Inflates one whole gzip member at once, through libdeflate.
//!
//! libdeflate is about twice as fast as any streaming inflater, because it sees all of its input and has room for all
//! of its output. Its safe Rust wrapper does not report where the member ended, which is where the next member starts.
//! So this module, and no other, makes the three foreign calls itself.
//!
//! The invariant: each call gets pointers that are valid for the lengths passed with them, and libdeflate writes only
//! within those lengths, whatever the stored bytes are.
#![allow(unsafe_code)]

use std::ptr::NonNull;

/// The outcome of decoding a member.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Inflated {
    /// The member is whole and its checksum right; it took this many stored bytes.
    Whole { stored: usize },
    /// It does not fit into the room given.
    TooLong,
    /// It is damaged, or the input ends inside it. The streaming inflater finds out which.
    Damaged,
}

/// A reusable libdeflate decompressor.
#[derive(Debug)]
pub(crate) struct Inflater(NonNull<libdeflate_sys::libdeflate_decompressor>);

// SAFETY: the decompressor is plain memory without ties to a thread, and is only reached through `&mut self`.
unsafe impl Send for Inflater {}

impl Inflater {
    /// A new decompressor; `None` where memory is short.
    pub(crate) fn new() -> Option<Self> {
        // SAFETY: the call takes nothing and returns a valid pointer or null.
        NonNull::new(unsafe { libdeflate_sys::libdeflate_alloc_decompressor() }).map(Inflater)
    }

    /// Inflates the member at the start of `stored`, appending at most `room` bytes to `out`.
    ///
    /// `out` is unchanged unless the answer is [`Inflated::Whole`].
    pub(crate) fn member(&mut self, stored: &[u8], room: usize, out: &mut Vec<u8>) -> Inflated {
        out.reserve(room);
        let spare = out.spare_capacity_mut();
        let room = room.min(spare.len());
        let (mut taken, mut given) = (0usize, 0usize);
        // SAFETY: both pointers are valid for the lengths passed; the callee writes at most `room` bytes into the
        // spare capacity and reads at most `stored.len()` bytes.
        let result = unsafe {
            libdeflate_sys::libdeflate_gzip_decompress_ex(
                self.0.as_ptr(),
                stored.as_ptr().cast(),
                stored.len(),
                spare.as_mut_ptr().cast(),
                room,
                &mut taken,
                &mut given,
            )
        };
        match result {
            libdeflate_sys::libdeflate_result_LIBDEFLATE_SUCCESS => {
                // SAFETY: on success the first `given` bytes of the spare capacity have been written.
                unsafe { out.set_len(out.len() + given.min(room)) };
                Inflated::Whole { stored: taken }
            }
            libdeflate_sys::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => Inflated::TooLong,
            _ => Inflated::Damaged,
        }
    }
}

impl Drop for Inflater {
    fn drop(&mut self) {
        // SAFETY: the pointer came from libdeflate_alloc_decompressor and is freed once.
        unsafe { libdeflate_sys::libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}
