//! Names of groups of documents.

use xxhash_rust::xxh3::xxh3_64;

/// The name of a group whose first document has this id: a hash of the id. Several documents can have one id, those of
/// two runs over one archive for instance; their groups get further names. `take` takes a name and returns whether it
/// was free.
pub(crate) fn free_name<E>(id: &str, mut take: impl FnMut(u64) -> Result<bool, E>) -> Result<u64, E> {
    let mut number = 1;
    loop {
        let name = name(id, number);
        if take(name)? {
            return Ok(name);
        }
        number += 1;
    }
}

/// One of the names that such a group can have, by its number from 1 on.
pub(super) fn name(id: &str, number: u32) -> u64 {
    match number {
        1 => xxh3_64(id.as_bytes()),
        number => xxh3_64(format!("{id}#{number}").as_bytes()),
    }
}
