//! The hash of what can change a document.

use super::preset_builder::NamedPresets;
use super::{Config, ConfigError, ExtractConfig, OutputConfig, PresetConfig, RunConfig, Select, TextKind};
use crate::host_lists::HostLists;
use crate::languages::Languages;
use crate::sites::Sites;
use dehusk_documents::encode::OutputFormat;
use dehusk_extract::Preset;
use dehusk_remote::RemoteConfig;

/// Keys that were added later count only if they are set, so that configurations without them keep their hashes. In a
/// string of the configuration, quotation marks are escaped, so it holds none of these.
const UNSET: [&str; 22] = [
    ",\"seen\":\"\"",
    ",\"resolve_revisits\":false",
    ",\"details\":false",
    ",\"evidence\":false",
    ",\"title\":\"as found\"",
    ",\"fallback\":[]",
    ",\"fallback_score\":0.5",
    ",\"union\":[]",
    ",\"sites\":\"\"",
    ",\"drop_repeated\":0",
    ",\"language_from\":[\"text\"]",
    ",\"language_model\":\"\"",
    ",\"plain_text\":false",
    ",\"hosts_from\":[]",
    ",\"drop_hosts_from\":[]",
    ",\"rights\":false",
    ",\"html\":false",
    ",\"records\":[]",
    ",\"robots\":false",
    ",\"respect\":[]",
    ",\"respect_agents\":[]",
    ",\"tokenizer\":\"words\"",
];

impl Config {
    /// A hash of all that can change a document: 8 hexadecimal digits.
    ///
    /// # Errors
    /// A file that the configuration names cannot be read, or an extractor is unknown.
    pub fn hash(&self) -> Result<String, ConfigError> {
        let sites = self.extract.open_sites()?;
        let hosts = self.select.read_host_lists()?;
        let presets = NamedPresets::build(self, Vec::new())?;
        let languages = self.extract.read_languages()?;
        Ok(self.hash_of(&presets.all, sites.as_deref(), &hosts, &languages))
    }

    /// The hash, if these presets run, members of ensembles included, with the content of this store of sites, these
    /// lists of hosts and these sources of languages. Of a file that is named, the content counts that was read.
    pub(super) fn hash_of(
        &self,
        running: &[Preset],
        sites: Option<&Sites>,
        hosts: &HostLists,
        languages: &Languages,
    ) -> String {
        let [hosts_from, drop_hosts_from] = hosts.digests();
        let sets_model = |own: &PresetConfig| own.changes().get("model").is_some();
        // An ensemble has the files of its members, which are here too.
        let is_ensemble = |preset: &Preset| self.extract.ensemble.contains_key(&preset.name);
        let model = running
            .iter()
            .filter(|preset| !is_ensemble(preset) && !self.presets.get(&preset.name).is_some_and(sets_model))
            .flat_map(Preset::file_hashes)
            .find(|(key, _)| *key == "model");
        let presets = running.iter().filter_map(|preset| {
            let own = self.presets.get(&preset.name)?;
            Some((preset.name.clone(), own.by_content(preset)))
        });
        let ensembles = running.iter().filter_map(|preset| {
            let ensemble = self.extract.ensemble.get(&preset.name)?;
            Some((preset.name.clone(), ensemble.clone()))
        });
        let relevant = Config {
            extract: ExtractConfig {
                // The name of a built-in model stays.
                model: model.map_or_else(|| self.extract.model.clone(), |(_, hash)| format!("{hash:016x}")),
                ensemble: ensembles.collect(),
                language_model: languages.model_digest(),
                sites: sites.map_or_else(String::new, |sites| format!("{:016x}", sites.digest())),
                ..self.extract.relevant()
            },
            output: OutputConfig {
                source: self.output.source.clone(),
                text: self.output.text,
                // Plain text has neither.
                links: self.output.links && self.output.text == TextKind::Markdown,
                images: self.output.images && self.output.text == TextKind::Markdown,
                // With rules, the signals are filled in anyway.
                quality: self.output.quality && self.select.quality.is_empty(),
                title: self.output.title,
                details: self.output.details,
                evidence: self.output.evidence,
                rights: self.output.rights,
                html: self.output.html,
                signatures: self.output.signatures(),
                // A database with another index is another one.
                tokenizer: match self.output.format.name() {
                    "sqlite" => self.output.tokenizer,
                    _ => OutputConfig::default().tokenizer,
                },
                format: match self.output.format {
                    format if format.changes_documents() => format,
                    _ => OutputFormat::default(),
                },
                ..OutputConfig::default()
            },
            select: Select {
                // Of the store, it counts that there is one. Its path does not matter.
                hosts_from,
                drop_hosts_from,
                seen: if self.select.seen.is_empty() { "" } else { "set" }.to_owned(),
                ..self.select.clone()
            },
            run: RunConfig::default(),
            remote: RemoteConfig::LEFT_OUT,
            // Presets that do not run change nothing.
            presets: presets.collect(),
            ..self.clone()
        };
        let mut json = serde_json::to_string(&relevant).unwrap_or_default();
        for unset in UNSET {
            json = json.replace(unset, "");
        }
        format!("{:08x}", xxhash_rust::xxh3::xxh3_64(json.as_bytes()) as u32)
    }
}
