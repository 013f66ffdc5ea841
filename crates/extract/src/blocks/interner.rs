//! Numbers equal keys equally, in the order in which they are first seen.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::OnceLock;

/// A hash table from 64-bit keys to small numbers, which is reused from page to page.
///
/// Pages choose their keys. The table's slots depend on a number that is random in every process, so that no page can
/// be made to fill one part of the table. The numbers that it gives depend on the keys alone.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    /// A key and its number plus one; 0 where the slot is free. The length is a power of two.
    slots: Vec<(u64, u32)>,
    len: u32,
}

fn random() -> u64 {
    static RANDOM: OnceLock<u64> = OnceLock::new();
    *RANDOM.get_or_init(|| RandomState::new().hash_one(0u8) | 1)
}

#[inline]
fn mix(key: u64, random: u64) -> u64 {
    let product = u128::from(key ^ 0x9E37_79B9_7F4A_7C15) * u128::from(random);
    (product >> 64) as u64 ^ product as u64
}

impl Interner {
    /// Forgets all keys. Expects about so many new ones.
    pub(crate) fn reset(&mut self, expected: usize) {
        let slots = (expected * 2).next_power_of_two().max(64);
        self.slots.clear();
        self.slots.resize(slots, (0, 0));
        self.len = 0;
    }

    /// The number of a key: that of an equal key, or the next one.
    #[inline]
    pub(crate) fn number(&mut self, key: u64) -> u32 {
        if (self.len as usize + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let slot = Self::find(&self.slots, key);
        if self.slots[slot].1 == 0 {
            self.len += 1;
            self.slots[slot] = (key, self.len);
        }
        self.slots[slot].1 - 1
    }

    #[inline]
    fn find(slots: &[(u64, u32)], key: u64) -> usize {
        let mask = slots.len() - 1;
        let mut slot = mix(key, random()) as usize & mask;
        while slots[slot].1 != 0 && slots[slot].0 != key {
            slot = (slot + 1) & mask;
        }
        slot
    }

    #[cold]
    fn grow(&mut self) {
        let mut larger = vec![(0, 0); (self.slots.len() * 2).max(64)];
        for &entry in self.slots.iter().filter(|(_, number)| *number != 0) {
            let slot = Self::find(&larger, entry.0);
            larger[slot] = entry;
        }
        self.slots = larger;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_have_equal_numbers() {
        let mut interner = Interner::default();
        interner.reset(2);
        let numbers = |interner: &mut Interner| (0..5000u64).map(|key| interner.number(key << 40)).collect::<Vec<_>>();
        let first = numbers(&mut interner);
        assert_eq!(first, (0..5000).collect::<Vec<u32>>());
        assert_eq!(numbers(&mut interner), first);
        interner.reset(2);
        assert_eq!(interner.number(7), 0);
    }
}
