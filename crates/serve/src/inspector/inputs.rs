//! `GET /inspector/inputs`: the archives, extractors and reasons that people can choose from.

use serde_json::{Value, json};

use crate::http::{Answer, answer};
use crate::state::App;
use dehusk_archive::escape;
use dehusk_engine::input::ArchiveInput;
use dehusk_engine::reason::{Failed, Filtered};

/// The archives, the extractors, and all reasons. No archive is opened.
pub(crate) fn inputs(app: &App) -> Answer {
    let archive = |(number, input): (usize, &ArchiveInput)| {
        let metadata = input.path().and_then(|path| std::fs::metadata(path).ok());
        json!({
            "name": input.display_name(),
            "bytes": metadata.filter(std::fs::Metadata::is_file).map(|found| found.len()),
            "runs": app.inputs.runs_of(number).collect::<Value>(),
        })
    };
    let config = &app.settings.own().config;
    let built_in = dehusk_extract::registry::all().map(|name| -> &str { name });
    let extractors: Vec<&str> = built_in.chain(config.own_presets()).collect();
    let reason = |name: &str, sentence: &str| json!({"name": name, "sentence": sentence});
    let filtered = Filtered::ALL.iter().map(|r| reason(r.name(), r.sentence()));
    let failed = Failed::all().map(|r| reason(r.name(), r.sentence()));
    let listed = json!({
        "archives": app.inputs.archives().iter().enumerate().map(archive).collect::<Value>(),
        "extractors": extractors,
        "extractor": config.extractors().first(),
        "filtered": filtered.collect::<Value>(),
        "failed": failed.collect::<Value>(),
        "runs": app.inputs.accounts().iter().map(|run| escape::path(&run.directory)).collect::<Value>(),
        "truth": app.truth.is_some(),
        "marks": app.marks.is_some(),
        "version": env!("CARGO_PKG_VERSION"),
    });
    answer(200, "application/json", listed.to_string())
}
