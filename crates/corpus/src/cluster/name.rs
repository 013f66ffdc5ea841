//! Names of groups of documents.

use xxhash_rust::xxh3::xxh3_64;

/// The name of a group whose first document has this id: a hash of the id. Several documents can have one id, those of
/// two runs over one archive for instance; their groups get further names. `take` takes a name and tells whether it was
/// free.
pub(crate) fn free_name<E>(id: &str, mut take: impl FnMut(u64) -> Result<bool, E>) -> Result<u64, E> {
    let mut name = xxh3_64(id.as_bytes());
    let mut number = 2;
    while !take(name)? {
        name = xxh3_64(format!("{id}#{number}").as_bytes());
        number += 1;
    }
    Ok(name)
}
