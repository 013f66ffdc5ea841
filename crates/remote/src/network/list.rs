//! The names below a prefix, and small remote files such as lists.

use std::io::{self, Read};

use quick_xml::events::Event;
use quick_xml::reader::Reader;

use super::addresses::{is_private_host, name_of};
use super::target::Target;
use super::{RemoteUrl, Settings, client, cloud, other, retry};

/// Largest answer with names, in bytes. A thousand names, or five thousand, come in one.
const ANSWER_LIMIT: u64 = 32 << 20;

/// Most bytes of names that begin with a prefix.
const NAMES_LIMIT: usize = 256 << 20;

/// Most answers in a row that may bring a mark and no names.
const EMPTY_LIMIT: usize = 1000;

/// The names below a prefix, in their order.
///
/// # Errors
/// The server lists no names, or too many.
pub fn list(url: &RemoteUrl, prefix: &str, settings: &Settings) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    let mut bytes = 0;
    let mut mark: Option<String> = None;
    let mut empty = 0;
    loop {
        let target = cloud::listing(url, prefix, mark.as_deref())?;
        let page = Listing::parse(&text(&target, ANSWER_LIMIT, settings)?)?;
        bytes += page.names.iter().map(String::len).sum::<usize>();
        if bytes > NAMES_LIMIT {
            return Err(other(format!("its names have more than {NAMES_LIMIT} bytes")));
        }
        empty = if page.names.is_empty() { empty + 1 } else { 0 };
        if empty >= EMPTY_LIMIT {
            return Err(other(format!("{EMPTY_LIMIT} answers in a row bring no names")));
        }
        names.extend(page.names);
        match page.mark {
            // The same mark again would repeat for ever.
            Some(next) if mark.as_ref() != Some(&next) => mark = Some(next),
            _ => return Ok(names),
        }
    }
}

/// All bytes of a small remote file, decoded if it is compressed by gzip.
///
/// # Errors
/// It is unavailable, or is larger.
pub fn read_small(url: &RemoteUrl, limit: u64, settings: &Settings) -> io::Result<Vec<u8>> {
    let target = cloud::target(url)?;
    let stored = bytes(&target, limit, settings)?;
    if !stored.starts_with(&[0x1f, 0x8b]) {
        return Ok(stored);
    }
    let mut decoded = Vec::new();
    flate2::read::MultiGzDecoder::new(&stored[..])
        .take(limit + 1)
        .read_to_end(&mut decoded)?;
    if decoded.len() as u64 > limit {
        Err(other(format!("it decodes to more than {limit} bytes")))
    } else {
        Ok(decoded)
    }
}

fn text(target: &Target, limit: u64, settings: &Settings) -> io::Result<String> {
    String::from_utf8(bytes(target, limit, settings)?).map_err(|_| other("its answer is not UTF-8".into()))
}

fn bytes(target: &Target, limit: u64, settings: &Settings) -> io::Result<Vec<u8>> {
    retry::repeated(settings, || {
        let mut answer = client::get(target, &[], settings)?;
        match answer.status {
            200 => answer.bytes(limit),
            _ => Err(answer.failure()),
        }
    })
}

/// A part of the names.
#[derive(Debug, Default, PartialEq, Eq)]
struct Listing {
    names: Vec<String>,
    /// The mark that asks for the next part.
    mark: Option<String>,
}

impl Listing {
    /// Reads the answer of S3, of Google's interface that is as S3's, or of Azure.
    fn parse(xml: &str) -> io::Result<Self> {
        let malformed = |_| other("the server's list of names is malformed".into());
        let mut reader = Reader::from_str(xml);
        let mut page = Self::default();
        let mut path: Vec<String> = Vec::new();
        let mut text = String::new();
        let mut is_list = false;
        loop {
            match reader.read_event().map_err(malformed)? {
                Event::Start(start) => {
                    let name = start.local_name().as_ref().to_owned();
                    is_list |= matches!(&*name, "ListBucketResult" | "EnumerationResults");
                    path.push(name);
                    text.clear();
                }
                Event::Text(piece) => text.push_str(&piece),
                Event::GeneralRef(reference) => {
                    let character = reference.resolve_char_ref().map_err(malformed)?;
                    match (character, &*reference.into_inner()) {
                        (Some(character), _) => text.push(character),
                        (None, "amp") => text.push('&'),
                        (None, "lt") => text.push('<'),
                        (None, "gt") => text.push('>'),
                        (None, "quot") => text.push('"'),
                        (None, "apos") => text.push('\''),
                        _ => {}
                    }
                }
                Event::End(_) => {
                    let within = path.len().checked_sub(2).map_or("", |at| &path[at]);
                    match (within, path.last().map_or("", |name| name)) {
                        ("Contents", "Key") | ("Blob", "Name") => page.names.push(std::mem::take(&mut text)),
                        (_, "NextContinuationToken" | "NextMarker") if !text.is_empty() => {
                            page.mark = Some(std::mem::take(&mut text));
                        }
                        _ => {}
                    }
                    path.pop();
                }
                Event::Eof if is_list => return Ok(page),
                Event::Eof => return Err(other("the server's answer is no list of names".into())),
                _ => {}
            }
        }
    }
}

impl RemoteUrl {
    /// The same name, as one that a remote list names.
    pub fn listed_in(mut self, list: &Self) -> Self {
        let is_same = !list.is_cloud() && name_of(&self.host) == name_of(&list.host);
        self.is_listed = list.is_listed || !is_same && !cloud::host(list).is_ok_and(|host| is_private_host(&host));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_list_names_what_is_public_or_its_own() {
        let listed = |line: &str, list: &str| {
            let url = |name| RemoteUrl::parse(name).expect("a name");
            url(line).listed_in(&url(list)).is_listed()
        };
        assert!(listed("http://10.0.0.1/x", "https://lists.example/l"));
        assert!(!listed("http://lists.example:81/x", "https://lists.example/l"));
        assert!(!listed("http://10.0.0.1/x", "http://127.0.0.1:8080/l"));
    }

    #[test]
    fn names_of_every_cloud_are_read() {
        let s3 = "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>b</Name>\
            <IsTruncated>true</IsTruncated><Contents><Key>a/x&amp;y&#228;.warc.gz</Key><Size>5</Size></Contents>\
            <Contents><Key>a/z</Key></Contents><NextContinuationToken>t==</NextContinuationToken></ListBucketResult>";
        let page = Listing::parse(s3).expect("a list");
        assert_eq!(page.names, ["a/x&yä.warc.gz", "a/z"]);
        assert_eq!(page.mark.as_deref(), Some("t=="));
        let azure = "\u{feff}<?xml version=\"1.0\"?><EnumerationResults \
            ContainerName=\"c\"><Blobs><Blob><Name>q.warc</Name>\
            <Properties><Name>no</Name></Properties></Blob></Blobs><NextMarker/></EnumerationResults>";
        let page = Listing::parse(azure).expect("a list");
        assert_eq!((page.names, page.mark), (vec!["q.warc".to_owned()], None));
        for wrong in [
            "<html></html>",
            "<a",
            "",
            "<ListBucketResult><Contents></ListBucketResult>",
        ] {
            assert!(Listing::parse(wrong).is_err(), "{wrong}");
        }
    }
}
