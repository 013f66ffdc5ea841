//! Changes since an earlier run: an archive's file, the program, the configuration. Each change is a sentence,
//! which messages and `run.json` show.

use std::collections::BTreeSet;
use std::io;

use serde_json::Value;

use super::earlier::Earlier;
use super::report::PROGRAM;
use crate::config::{Config, Rules};
use crate::input::{ArchiveInput, CurrentState, InputState};
use crate::pipeline::Stop;
use dehusk_archive::escape;
use dehusk_documents::unreachable::is_unreachable;

/// An archive's file as it is now.
pub(super) struct CurrentInput<'i> {
    input: &'i ArchiveInput,
    /// An error if a server could not be asked.
    state: io::Result<CurrentState>,
}

impl<'i> CurrentInput<'i> {
    /// Looks at the file, or asks a server.
    pub(super) fn ask(input: &'i ArchiveInput, config: &Config, stop: Option<&Stop>) -> Self {
        let state = input.current_state(config, stop.map(Stop::flag).as_ref());
        Self { input, state }
    }

    /// Looks at the file; `None` if a server would have to be asked.
    pub(super) fn local(input: &'i ArchiveInput) -> Option<Self> {
        let state = input.local_state()?;
        Some(Self { input, state })
    }

    /// Whether only a network or a server that is down keeps it unknown.
    pub(super) fn is_unreachable(&self) -> bool {
        self.state.as_ref().is_err_and(|e| is_unreachable(e))
    }

    /// Whether it cannot be found or asked for, perhaps only for a time.
    pub(super) fn is_gone(&self) -> bool {
        matches!(self.state, Ok(CurrentState::Known(None)) | Err(_))
    }

    /// How it differs from what an earlier run read; `None` if it is the same. `digest` is that of its start, with the
    /// number of bytes, if the run did not read all of it.
    pub(super) fn change_since(
        &self,
        earlier: Option<&InputState>,
        digest: Option<&(u64, String)>,
        verify: bool,
    ) -> Option<String> {
        let now = match &self.state {
            Ok(CurrentState::Known(now)) => now.as_ref(),
            Ok(CurrentState::Incomparable(why)) => return Some((*why).to_owned()),
            Err(e) => return Some(format!("it cannot be asked for any more: {e}")),
        };
        let (then, now) = match (earlier, now) {
            (None, None) => return None,
            (Some(_), None) => return Some("it cannot be found any more".to_owned()),
            (None, Some(_)) => return Some("it could not be found when the run began".to_owned()),
            (Some(then), Some(now)) => (then, now),
        };
        if then.selected != now.selected {
            return Some("other records of it were asked for before".to_owned());
        }
        if then.bytes != now.bytes {
            let verb = if now.bytes > then.bytes { "grew" } else { "shrank" };
            return Some(format!("it {verb} from {} to {} bytes", then.bytes, now.bytes));
        }
        let digest = match digest {
            Some((bytes, digest)) => Some((*bytes, digest)),
            None => Some((then.bytes, &then.digest)).filter(|(_, digest)| !digest.is_empty()),
        };
        if let (true, Some((bytes, digest))) = (verify, digest) {
            return match self.input.digest_of(bytes) {
                Ok(now) if now.text() == *digest => None,
                Ok(_) => Some("its bytes are not those that were read".to_owned()),
                Err(e) => Some(format!("it cannot be read any more: {e}")),
            };
        }
        if then.etag != now.etag {
            return Some(format!("its tag (ETag) is {}, and was {} before", now.etag, then.etag));
        }
        if !then.listing.is_empty() && then.listing != now.listing && then.modified == now.modified {
            return Some("its pages are not those of before".to_owned());
        }
        let is_modified = then.modified != now.modified;
        is_modified.then(|| format!("it was modified at {}, and at {} before", now.modified, then.modified))
    }
}

/// The changes since the earlier run that affect all documents. `sink` is where documents go now, if not to shards.
pub(super) fn differences(rules: &Rules, sink: &str, earlier: &Earlier) -> Vec<String> {
    if earlier.program != PROGRAM {
        let program = escape::terminal(&earlier.program);
        return vec![format!("it was {program}, and this is {PROGRAM}")];
    }
    if earlier.sink != sink {
        let place = |sink: &str| match sink {
            "" => "to shards in it".to_owned(),
            sink => format!("to the sink “{}”", escape::terminal(sink)),
        };
        let (before, now) = (place(&earlier.sink), place(sink));
        return vec![format!("its documents went {before}, and go {now} now")];
    }
    let config = &rules.config;
    let now = serde_json::to_value(config).unwrap_or_default();
    let mut changed = Vec::new();
    if earlier.config_hash != rules.hash {
        add_changed_keys(&earlier.config, &now, String::new(), &mut changed);
        let has_no_effect =
            |key: &str| key.starts_with("run.") || key.starts_with("remote.") || key.starts_with("output.level");
        changed.retain(|changed| !has_no_effect(&changed.key));
        if changed.is_empty() {
            return vec!["a file that the configuration names has changed".to_owned()];
        }
    } else {
        let then: Config = serde_json::from_value(earlier.config.clone()).unwrap_or_default();
        let outputs = |c: &Config| {
            let output = &c.output;
            (
                output.format,
                output.compression(),
                output.quarantine,
                output.records.clone(),
            )
        };
        if outputs(&then) != outputs(config) {
            let key = "output".to_owned();
            add_changed_keys(&earlier.config["output"], &now["output"], key, &mut changed);
        }
    }
    changed.into_iter().map(|changed| changed.sentence).collect()
}

/// A key of the configuration whose value has changed.
struct ChangedKey {
    key: String,
    sentence: String,
}

/// Adds the keys in which two configurations differ. `key` is where these parts of them are.
fn add_changed_keys(then: &Value, now: &Value, key: String, changed: &mut Vec<ChangedKey>) {
    if then == now {
        return;
    }
    let (Some(before), Some(after)) = (then.as_object(), now.as_object()) else {
        let sentence = format!("{key} was {then} and is {now}");
        changed.push(ChangedKey { key, sentence });
        return;
    };
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        let value = |map: &serde_json::Map<String, Value>| map.get(name).cloned().unwrap_or_default();
        let key = if key.is_empty() {
            name.clone()
        } else {
            format!("{key}.{name}")
        };
        add_changed_keys(&value(before), &value(after), key, changed);
    }
}
