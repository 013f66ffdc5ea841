//! `dehusk features`: writes what a model of the learned extractor is trained on.

use super::args::FeaturesArgs;
use super::{FAILURE, Failure, inputs, output};
use dehusk_engine::processor::Processor;
use dehusk_eval::{Truth, training};

pub(super) fn run(args: &FeaturesArgs) -> Result<u8, Failure> {
    let config = args.config.resolve().map_err(Failure::usage)?;
    let processor = Processor::new(&config).map_err(Failure::usage)?;
    let archives = inputs::resolve(&config, &args.archives)
        .map_err(Failure::usage)?
        .archives;
    let truth = Truth::read(&args.truth).map_err(Failure::other)?;
    if args.out.join(training::DESCRIPTION).exists() && !args.overwrite {
        let path = dehusk_archive::escape::path(&args.out);
        return Err(Failure::usage(format!(
            "{path} holds features already; give --overwrite to replace them"
        )));
    }
    let mut is_whole = true;
    let written = training::write(&truth, &archives, processor, &args.out, |message| {
        is_whole = false;
        output::say(message);
    });
    let written = written.map_err(|e| Failure::other(format!("{}: {e}", dehusk_archive::escape::path(&args.out))))?;
    output::say(format!("{} pages, {} blocks", written.pages, written.blocks));
    match written.pages {
        0 => Err(Failure::other(
            "no line of truth joins a page; are truth and archives of the same crawl?",
        )),
        _ => Ok(if is_whole { 0 } else { FAILURE }),
    }
}
