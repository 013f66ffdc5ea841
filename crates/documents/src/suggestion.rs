//! Suggestions for a wrong word, or a wrong name of a file.

use std::path::Path;

use dehusk_archive::escape;

/// How many files of a folder are looked at.
const FILES: usize = 10_000;

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
    let valid: Vec<&str> = valid.into_iter().collect();
    let (distance, near) = valid.iter().map(|word| (distance(word), *word)).min()?;
    let longer = || {
        valid
            .into_iter()
            .filter(|word| wrong.len() > 2 && word.starts_with(wrong))
    };
    if distance <= near.len().max(wrong.len()) / 2 {
        return Some(near);
    }
    // “lang” for “language”.
    longer().min_by_key(|word| word.len())
}

/// “; did you mean …?” with the file in the same folder whose name is nearest to that of a missing one. Empty if none
/// is near.
pub fn nearest_file(missing: &Path) -> String {
    let folder = missing.parent().unwrap_or(Path::new(""));
    let listed = std::fs::read_dir(if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    });
    let names: Vec<String> = listed
        .into_iter()
        .flatten()
        .take(FILES)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let wrong = missing.file_name().unwrap_or_default().to_string_lossy();
    let distance = |name: &String| strsim::damerau_levenshtein(&wrong, name);
    // Names share their endings, so that they are nearer than words.
    match names.iter().map(|name| (distance(name), name)).min() {
        Some((distance, near)) if distance <= wrong.len() / 4 => {
            let near = folder.join(near).display().to_string();
            format!("; did you mean “{}”?", escape::terminal(&near))
        }
        _ => String::new(),
    }
}
