//! Going on with a stopped run over remote archives.

use std::path::Path;
use std::sync::{Arc, Mutex};

use dehusk::report::ArchiveState;
use dehusk::{ArchiveInput, Report, RunOptions, Stop, run_with};

use super::{config, local, make, records, shards};
use crate::server::{Server, file};

/// A server whose file has a tag that can be changed, and that asks a run to stop when it is asked for what comes after
/// an offset.
struct Stopping {
    server: Server,
    tag: Arc<Mutex<&'static str>>,
    stop: Stop,
}

/// More windows than may be in flight before those after it, so the first of them are written when it is asked for.
const STOPS_BEHIND: usize = 12_000_000;

impl Stopping {
    fn new(bytes: &[u8]) -> Self {
        let (tag, stop) = (Arc::new(Mutex::new("a")), Stop::default());
        let (current, asked_to_stop, bytes) = (Arc::clone(&tag), stop.clone(), bytes.to_vec());
        let server = Server::start(move |asked, _| {
            if asked.range().is_some_and(|(first, _)| first > STOPS_BEHIND) {
                asked_to_stop.request();
            }
            file(&bytes, *current.lock().unwrap(), asked)
        });
        Self { server, tag, stop }
    }

    fn run(&self, out: &Path, options: RunOptions<'_>) -> Report {
        let mut config = config();
        config.set("run.threads", 1).unwrap();
        config.set("remote.read_ahead", 0).unwrap();
        let inputs = [ArchiveInput::from(self.server.url("/x.warc.gz"))];
        run_with(&config, &inputs, out, options).unwrap()
    }
}

#[test]
fn a_stopped_run_continues_if_the_object_is_the_same() {
    let bytes = make::each(&records(40, 400_000), make::gzip);
    let expected = local(&config(), "x.warc.gz", &bytes);
    for changes in [false, true] {
        let stopping = Stopping::new(&bytes);
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let stopped = stopping.run(&out, RunOptions::default().stop(&stopping.stop));
        assert_eq!(stopped.archives[0].state, ArchiveState::Interrupted);
        assert!(!stopped.archives[0].partial.is_empty());
        let before = stopping.server.asked().len();
        if changes {
            *stopping.tag.lock().unwrap() = "b";
        }
        let report = stopping.run(&out, RunOptions::default());
        if changes {
            let changed = &report.archives[0].changed;
            assert_eq!(changed, "its tag (ETag) is \"b\", and was \"a\" before");
            continue;
        }
        assert_eq!(report.exit_status(), 0, "{}", report.archives[0].error);
        assert!(shards(&out) == expected.shards);
        // The requests are for its state now, for its start, to recognise it, and then for the rest.
        let asked = &stopping.server.asked()[before..];
        assert_eq!(asked[0].range(), Some((0, 0)));
        let starts: Vec<usize> = asked.iter().filter_map(|asked| Some(asked.range()?.0)).collect();
        assert!(
            starts.iter().all(|start| *start < 900_000 || *start > 4_000_000),
            "{starts:?}"
        );
    }
}
