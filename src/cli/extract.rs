//! `dehusk extract`: writes the main content of pages to standard output.
//!
//! One page is a file or standard input, and what is wrong with it ends the program. Several pages, or a directory, are
//! written one after the other as they are read; what is wrong with one of them is reported, and the others follow.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::args::{ExtractArgs, ExtractFormat};
use super::config::{flag, set_given};
use super::pages::{self, STDIN};
use super::{FAILURE, Failure, INCOMPLETE, output};
use dehusk_archive::escape;
use dehusk_documents::encode::OutputFormat;
use dehusk_documents::suggestion::nearest_file;
use dehusk_engine::analysis::Analysis;
use dehusk_engine::config::{Config, ConfigError};
use dehusk_engine::explain;
use dehusk_engine::input::{PageFile, Walk};
use dehusk_engine::page::{Dropped, Page};
use dehusk_engine::page_format::PageFormat;
use dehusk_engine::processor::{Processor, caught};

/// The end of a text where several are written: a form feed on a line of its own.
const END_OF_TEXT: &[u8] = b"\x0C\n";

pub(super) fn run(args: &ExtractArgs) -> Result<u8, Failure> {
    if args.pages.iter().filter(|page| page.as_os_str() == STDIN).count() > 1 {
        return Err(Failure::usage("standard input (-) can be read only once"));
    }
    let config = resolve(args).map_err(Failure::usage)?;
    let processor = Processor::new(&config).map_err(Failure::usage)?;
    match args.pages.as_slice() {
        [page] if !page.is_dir() => {
            if page.as_os_str() == STDIN {
                output::note_terminal();
            }
            one(args, processor, &pages::of_argument(page))
        }
        _ => Several::new(args, processor)?.run(&args.pages),
    }
}

fn resolve(args: &ExtractArgs) -> Result<Config, ConfigError> {
    let mut config = args.file.resolve()?;
    set_given(
        &mut config,
        "extract.extractors",
        args.extractor.as_deref().map(|name| [name]),
    )?;
    args.extractors.apply(&mut config)?;
    let xml = (args.format == Some(ExtractFormat::Xml)).then(|| OutputFormat::XML.name());
    set_given(&mut config, "output.format", xml)?;
    set_given(&mut config, "output.text", args.text)?;
    set_given(&mut config, "dom.normalize", flag(args.normalize))?;
    Ok(config)
}

impl From<ExtractFormat> for PageFormat {
    fn from(format: ExtractFormat) -> Self {
        match format {
            ExtractFormat::Text => Self::Text,
            ExtractFormat::Html => Self::Html,
            ExtractFormat::Json => Self::Json,
            ExtractFormat::Xml => Self::Xml,
        }
    }
}

/// Why there is nothing of a page.
enum PageError {
    Unreadable(io::Error),
    Dropped(Dropped),
}

impl From<Dropped> for PageError {
    fn from(dropped: Dropped) -> Self {
        Self::Dropped(dropped)
    }
}

impl std::fmt::Display for PageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "cannot be read: {error}"),
            Self::Dropped(dropped) => write!(f, "{dropped}"),
        }
    }
}

/// Writes one page.
fn one(args: &ExtractArgs, mut processor: Processor, file: &PageFile) -> Result<u8, Failure> {
    let format = args.format.unwrap_or(ExtractFormat::Text);
    let render = match (args.explain, format) {
        (false, _) => None,
        (true, ExtractFormat::Text) => Some(explain::text as fn(&Analysis<'_, '_>) -> String),
        (true, ExtractFormat::Json) => Some(explain::json as fn(&Analysis<'_, '_>) -> String),
        (true, ExtractFormat::Html | ExtractFormat::Xml) => {
            return Err(Failure::usage("--explain writes text or json; see --format"));
        }
    };
    let mut out = Vec::new();
    let written = with_page(&mut processor, file, &args.url, |processor, page| match render {
        Some(render) => {
            out.extend(processor.analyze(page, render)?.into_bytes());
            Ok(())
        }
        None => PageFormat::from(format).write_whole(processor, page, &mut out),
    });
    written.map_err(|e| Failure::other(format!("{}: {e}{}", escape::path(&file.path), hint(&file.path, &e))))?;
    output::write_stdout(&out)
}

/// The advice if a page cannot be read because it is an address, or its name is wrong.
fn hint(path: &Path, error: &PageError) -> String {
    match (path.to_str(), error) {
        (Some(name), PageError::Unreadable(_)) if name.contains("://") => {
            "; fetch it first: curl -s URL | dehusk extract - --url URL".to_owned()
        }
        (_, PageError::Unreadable(e)) if e.kind() == io::ErrorKind::NotFound => nearest_file(path),
        _ => String::new(),
    }
}

/// Reads a page and passes it to `visit`.
fn with_page(
    processor: &mut Processor,
    file: &PageFile,
    url: &str,
    visit: impl FnOnce(&mut Processor, &Page<'_>) -> Result<(), Dropped>,
) -> Result<(), PageError> {
    let limit = processor.page_limit();
    let bytes = pages::read(file, limit).map_err(PageError::Unreadable)?;
    caught(|| {
        let mut page = Page::from_bytes(&bytes, url)?;
        page.provenance.file_path = escape::name(file.name.as_os_str());
        Ok(visit(processor, &page)?)
    })
}

/// Several pages, one after the other.
struct Several {
    processor: Processor,
    format: PageFormat,
    status: u8,
}

impl Several {
    fn new(args: &ExtractArgs, processor: Processor) -> Result<Self, Failure> {
        if args.explain {
            return Err(Failure::usage("--explain takes one page, not several or a directory"));
        }
        if !args.url.is_empty() {
            return Err(Failure::usage(
                "--url is the address of one page, not of several or of a directory",
            ));
        }
        let format = args.format.unwrap_or(ExtractFormat::Json);
        if format == ExtractFormat::Html {
            return Err(Failure::usage(
                "--format html writes one page, not several or a directory",
            ));
        }
        Ok(Self {
            processor,
            format: format.into(),
            status: 0,
        })
    }

    fn run(mut self, arguments: &[std::path::PathBuf]) -> Result<u8, Failure> {
        let mut out = BufWriter::new(io::stdout().lock());
        let written = self.write_all(arguments, &mut out).and_then(|()| out.flush());
        // If the reader is gone, the rest is not needed.
        output::quiet(written).map(|_| self.status)
    }

    fn write_all(&mut self, arguments: &[std::path::PathBuf], out: &mut impl Write) -> io::Result<()> {
        out.write_all(self.format.header())?;
        for argument in arguments {
            if !argument.is_dir() {
                self.write_page(&pages::of_argument(argument), out)?;
                continue;
            }
            let mut pages = 0_u64;
            match Walk::new(argument) {
                Err(error) => self.report(argument, &PageError::Unreadable(error)),
                Ok(walk) => {
                    for page in walk {
                        pages += 1;
                        match page {
                            Ok(page) => self.write_page(&page, out)?,
                            Err((path, error)) => self.report(&path, &PageError::Unreadable(error)),
                        }
                    }
                    if pages == 0 {
                        let error = io::Error::other("no file in it is called .html, .htm or .xhtml");
                        self.report(argument, &PageError::Unreadable(error));
                    }
                }
            }
        }
        out.write_all(self.format.footer())
    }

    fn write_page(&mut self, file: &PageFile, out: &mut impl Write) -> io::Result<()> {
        let mut document = Vec::new();
        let format = self.format;
        let made = with_page(&mut self.processor, file, "", |processor, page| {
            format.write(processor, page, &mut document)
        });
        match made {
            Ok(()) => {
                if self.format == PageFormat::Text {
                    document.extend_from_slice(END_OF_TEXT);
                }
                out.write_all(&document)
            }
            Err(error) => {
                self.report(&file.path, &error);
                Ok(())
            }
        }
    }

    /// Reports what is wrong with a page. What a rule leaves out is not wrong.
    fn report(&mut self, path: &Path, error: &PageError) {
        let status = match error {
            PageError::Unreadable(_) => FAILURE,
            PageError::Dropped(Dropped::Failed(_)) if self.status == 0 => INCOMPLETE,
            PageError::Dropped(_) => self.status,
        };
        self.status = status;
        output::say(format!(
            "dehusk: {}: {}",
            escape::path(path),
            super::printable(&error.to_string())
        ));
    }
}
