//! What a wrong word was probably meant to be.

/// “; did you mean …?”, or the list of valid words if none is near.
pub fn nearest<'a>(wrong: &str, valid: impl IntoIterator<Item = &'a str>) -> String {
    let valid: Vec<&str> = valid.into_iter().collect();
    match nearest_word(wrong, valid.iter().copied()) {
        Some(near) => format!("; did you mean “{near}”?"),
        None => format!("; valid are {}", valid.join(", ")),
    }
}

/// The valid word that is nearest to a wrong one, if any is near.
pub fn nearest_word<'a>(wrong: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |word: &str| strsim::damerau_levenshtein(&wrong.to_lowercase(), &word.to_lowercase());
    let (distance, near) = valid.into_iter().map(|word| (distance(word), word)).min()?;
    (distance <= near.len().max(wrong.len()) / 2).then_some(near)
}
