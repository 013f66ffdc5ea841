//! The statistics of a column of several parts: the least and the greatest value, and how many are null.

use parquet::file::statistics::{Statistics, ValueStatistics};

/// Joins the statistics of two parts; `None` if one of them has none, or they are of two types.
pub(super) fn joined(one: &Statistics, other: &Statistics) -> Option<Statistics> {
    macro_rules! join {
        ($($kind:ident),+) => {
            match (one, other) {
                $((Statistics::$kind(one), Statistics::$kind(other)) => {
                    let (min, is_min_exact) = bound(
                        (one.min_opt(), one.min_is_exact()),
                        (other.min_opt(), other.min_is_exact()),
                        |one, other| one <= other,
                    );
                    let (max, is_max_exact) = bound(
                        (one.max_opt(), one.max_is_exact()),
                        (other.max_opt(), other.max_is_exact()),
                        |one, other| one >= other,
                    );
                    let nulls = one.null_count_opt().zip(other.null_count_opt()).map(|(one, other)| one + other);
                    let joined = ValueStatistics::new(min, max, None, nulls, false);
                    Some(Statistics::$kind(
                        joined.with_min_is_exact(is_min_exact).with_max_is_exact(is_max_exact),
                    ))
                })+
                _ => None,
            }
        };
    }
    join!(Boolean, Int32, Int64, Double, ByteArray)
}

/// The value of two that is first, and whether it is exact. A part whose values are all null has none.
fn bound<T: Clone>(
    (one, is_one_exact): (Option<&T>, bool),
    (other, is_other_exact): (Option<&T>, bool),
    is_first: impl Fn(&T, &T) -> bool,
) -> (Option<T>, bool) {
    match (one, other) {
        (Some(one), Some(other)) if !is_first(one, other) => (Some(other.clone()), is_other_exact),
        (None, other) => (other.cloned(), is_other_exact),
        (one, _) => (one.cloned(), is_one_exact),
    }
}
