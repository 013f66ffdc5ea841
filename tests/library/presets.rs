//! Presets of a configuration: what is refused in them, and what counts for the configuration's hash.

use dehusk::Config;
use dehusk_engine::config::Rules;

fn rules(text: &str) -> Result<Rules, String> {
    Config::from_toml(text)
        .and_then(|config| Rules::new(&config))
        .map_err(|e| e.to_string())
}

#[test]
fn what_a_pattern_file_holds_counts_for_the_hash() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let config = |path: &str| {
        format!("[extract]\nextractors = [\"mine\"]\n[presets.mine]\nbase = \"contentex\"\npatterns = {path:?}")
    };
    let one = file(
        "one.toml",
        "[statement.posting]\nen = ['^be kind']\n[time]\nen = ['a while ago']",
    );
    // The content of the file counts, not its place.
    let same = file(
        "same.toml",
        "[statement.posting]\nen = ['^be kind']\n[time]\nen = ['a while ago']",
    );
    let other = file("other.toml", "[time]\nen = ['a while ago']");
    let hash = |path: &str| Config::from_toml(&config(path)).unwrap().hash().unwrap();
    assert_eq!(hash(&one), hash(&same));
    assert_ne!(hash(&one), hash(&other));
    let before = hash(&other);
    file("other.toml", "[time]\nen = ['long ago']");
    assert_ne!(hash(&other), before);
    assert!(rules(&config(&one)).is_ok());

    let missing = rules(&config("/no/such/file.toml")).unwrap_err();
    assert!(
        missing.contains("presets.mine: patterns file /no/such/file.toml: cannot be read"),
        "{missing}"
    );
    let wrong = rules(&config(&file("wrong.toml", "[tiem]\nen = []"))).unwrap_err();
    assert!(wrong.contains("wrong.toml") && wrong.contains("tiem"), "{wrong}");
    let wrong = rules(&config(&file("wrong.toml", "[time]\nen = ['(']"))).unwrap_err();
    assert!(wrong.contains("the time pattern “(”"), "{wrong}");
}

#[test]
fn values_out_of_range_are_refused() {
    let error = |line: &str| {
        let text = format!("[extract]\nextractors = [\"mine\"]\n[presets.mine]\nbase = \"contentex-modern\"\n{line}");
        rules(&text).unwrap_err()
    };
    assert!(error("threshold = 1.5").contains("“presets.mine.threshold” must lie between 0 and 1"));
    assert!(error("table_share = -1").contains("“presets.mine.table_share” must lie"));
    assert!(error("repeated_times = 1").contains("at least 2"));
    assert!(error("extend = \"fallin\"").contains("falling"));
    assert!(error("colon_words = -1").contains("presets.mine"));
}
