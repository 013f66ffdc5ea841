//! What has changed since an earlier run: an archive's file, the program, the configuration. Each change is a sentence, which
//! messages and `run.json` show.

use super::RunOptions;
use super::earlier::Earlier;
use super::report::PROGRAM;
use crate::config::{Config, Rules};
use crate::input::{ArchiveInput, CurrentState, InputState};
use crate::pipeline::Stop;
use dehusk_archive::escape;
use dehusk_documents::unreachable::is_unreachable;

/// What an archive's file is now.
pub(super) enum Now {
    /// It is this, or cannot be found.
    State(Option<InputState>),
    /// That cannot be known, for this reason.
    Incomparable(&'static str),
    /// It could not be asked for.
    Unknown {
        why: String,
        /// Whether asking again may succeed.
        is_unreachable: bool,
    },
}

impl Now {
    /// Looks, or asks a server.
    pub(super) fn of(input: &ArchiveInput, config: &Config, options: &RunOptions<'_>) -> Self {
        let stop = options.stop.map(Stop::flag);
        match input.current_state(config, stop.as_ref()) {
            Ok(CurrentState::Known(state)) => Self::State(state),
            Ok(CurrentState::Incomparable(why)) => Self::Incomparable(why),
            Err(e) => Self::Unknown {
                why: format!("it cannot be asked for any more: {e}"),
                is_unreachable: is_unreachable(&e),
            },
        }
    }

    /// Whether only a network or a server that is down keeps it unknown.
    pub(super) fn is_unreachable(&self) -> bool {
        matches!(
            self,
            Self::Unknown {
                is_unreachable: true,
                ..
            }
        )
    }
}

/// How an archive's file differs from what an earlier run read; `None` if it is the same. `read` is the digest of its start,
/// if the run did not read all of it.
pub(super) fn change(
    input: &ArchiveInput,
    now: &Now,
    earlier: Option<&InputState>,
    read: Option<&(u64, String)>,
    verify: bool,
) -> Option<String> {
    let now = match now {
        Now::State(now) => now.as_ref(),
        Now::Incomparable(why) => return Some((*why).to_owned()),
        Now::Unknown { why, .. } => return Some(why.clone()),
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
        let how = if now.bytes > then.bytes { "grew" } else { "shrank" };
        return Some(format!("it {how} from {} to {} bytes", then.bytes, now.bytes));
    }
    let known = match read {
        Some((bytes, digest)) => Some((*bytes, digest)),
        None => Some((then.bytes, &then.digest)).filter(|(_, digest)| !digest.is_empty()),
    };
    if let (true, Some((bytes, digest))) = (verify, known) {
        return match input.digest_of(bytes) {
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
    (then.modified != now.modified)
        .then(|| format!("it was modified at {}, and at {} before", now.modified, then.modified))
}

/// What all documents depend on and has changed. `sink` is where they go now, if not to shards.
pub(super) fn differences(rules: &Rules, sink: &str, earlier: &Earlier) -> Vec<String> {
    if earlier.program != PROGRAM {
        return vec![format!(
            "it was {}, and this is {PROGRAM}",
            escape::terminal(&earlier.program)
        )];
    }
    if earlier.sink != sink {
        let place = |sink: &str| match sink {
            "" => "to shards in it".to_owned(),
            sink => format!("to the sink “{}”", escape::terminal(sink)),
        };
        return vec![format!(
            "its documents went {}, and go {} now",
            place(&earlier.sink),
            place(sink)
        )];
    }
    let config = &rules.config;
    let now = serde_json::to_value(config).unwrap_or_default();
    let mut changed = Vec::new();
    if earlier.config_hash != rules.hash {
        changed_keys(&earlier.config, &now, &mut String::new(), &mut changed);
        changed.retain(|(key, _)| {
            !key.starts_with("run.") && !key.starts_with("remote.") && !key.starts_with("output.level")
        });
        if changed.is_empty() {
            changed.push((
                String::new(),
                "a file that the configuration names has changed".to_owned(),
            ));
        }
    } else {
        let then: Config = serde_json::from_value(earlier.config.clone()).unwrap_or_default();
        let outputs = |c: &Config| (c.output.format, c.output.compression(), c.output.quarantine);
        if outputs(&then) != outputs(config) {
            changed_keys(
                &earlier.config["output"],
                &now["output"],
                &mut "output.".to_owned(),
                &mut changed,
            );
        }
    }
    changed.into_iter().map(|(_, text)| text).collect()
}

/// Adds the keys in which two configurations differ, each with a sentence.
fn changed_keys(then: &serde_json::Value, now: &serde_json::Value, key: &mut String, out: &mut Vec<(String, String)>) {
    if then == now {
        return;
    }
    let (Some(before), Some(after)) = (then.as_object(), now.as_object()) else {
        let name = key.trim_end_matches('.').to_owned();
        let text = format!("{name} was {then} and is {now}");
        out.push((name, text));
        return;
    };
    let keys: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in keys {
        let length = key.len();
        key.push_str(name);
        key.push('.');
        let null = serde_json::Value::Null;
        changed_keys(
            before.get(name).unwrap_or(&null),
            after.get(name).unwrap_or(&null),
            key,
            out,
        );
        key.truncate(length);
    }
}
