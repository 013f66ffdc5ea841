//! What a page claims its language to be.

/// The two-letter codes of ISO 639, each with its three-letter code.
#[rustfmt::skip]
const CODES: [(&str, &str); 182] = [
    ("aa", "aar"), ("ab", "abk"), ("af", "afr"), ("ak", "aka"), ("am", "amh"), ("an", "arg"), ("ar", "ara"),
    ("as", "asm"), ("av", "ava"), ("ay", "aym"), ("az", "aze"), ("ba", "bak"), ("be", "bel"), ("bg", "bul"),
    ("bi", "bis"), ("bm", "bam"), ("bn", "ben"), ("bo", "bod"), ("br", "bre"), ("bs", "bos"), ("ca", "cat"),
    ("ce", "che"), ("ch", "cha"), ("co", "cos"), ("cr", "cre"), ("cs", "ces"), ("cu", "chu"), ("cv", "chv"),
    ("cy", "cym"), ("da", "dan"), ("de", "deu"), ("dv", "div"), ("dz", "dzo"), ("ee", "ewe"), ("el", "ell"),
    ("en", "eng"), ("eo", "epo"), ("es", "spa"), ("et", "est"), ("eu", "eus"), ("fa", "fas"), ("ff", "ful"),
    ("fi", "fin"), ("fj", "fij"), ("fo", "fao"), ("fr", "fra"), ("fy", "fry"), ("ga", "gle"), ("gd", "gla"),
    ("gl", "glg"), ("gn", "grn"), ("gu", "guj"), ("gv", "glv"), ("ha", "hau"), ("he", "heb"), ("hi", "hin"),
    ("ho", "hmo"), ("hr", "hrv"), ("ht", "hat"), ("hu", "hun"), ("hy", "hye"), ("hz", "her"), ("ia", "ina"),
    ("id", "ind"), ("ie", "ile"), ("ig", "ibo"), ("ii", "iii"), ("ik", "ipk"), ("io", "ido"), ("is", "isl"),
    ("it", "ita"), ("iu", "iku"), ("ja", "jpn"), ("jv", "jav"), ("ka", "kat"), ("kg", "kon"), ("ki", "kik"),
    ("kj", "kua"), ("kk", "kaz"), ("kl", "kal"), ("km", "khm"), ("kn", "kan"), ("ko", "kor"), ("kr", "kau"),
    ("ks", "kas"), ("ku", "kur"), ("kv", "kom"), ("kw", "cor"), ("ky", "kir"), ("la", "lat"), ("lb", "ltz"),
    ("lg", "lug"), ("li", "lim"), ("ln", "lin"), ("lo", "lao"), ("lt", "lit"), ("lu", "lub"), ("lv", "lav"),
    ("mg", "mlg"), ("mh", "mah"), ("mi", "mri"), ("mk", "mkd"), ("ml", "mal"), ("mn", "mon"), ("mr", "mar"),
    ("ms", "msa"), ("mt", "mlt"), ("my", "mya"), ("na", "nau"), ("nb", "nob"), ("nd", "nde"), ("ne", "nep"),
    ("ng", "ndo"), ("nl", "nld"), ("nn", "nno"), ("no", "nor"), ("nr", "nbl"), ("nv", "nav"), ("ny", "nya"),
    ("oc", "oci"), ("oj", "oji"), ("om", "orm"), ("or", "ori"), ("os", "oss"), ("pa", "pan"), ("pi", "pli"),
    ("pl", "pol"), ("ps", "pus"), ("pt", "por"), ("qu", "que"), ("rm", "roh"), ("rn", "run"), ("ro", "ron"),
    ("ru", "rus"), ("rw", "kin"), ("sa", "san"), ("sc", "srd"), ("sd", "snd"), ("se", "sme"), ("sg", "sag"),
    ("si", "sin"), ("sk", "slk"), ("sl", "slv"), ("sm", "smo"), ("sn", "sna"), ("so", "som"), ("sq", "sqi"),
    ("sr", "srp"), ("ss", "ssw"), ("st", "sot"), ("su", "sun"), ("sv", "swe"), ("sw", "swa"), ("ta", "tam"),
    ("te", "tel"), ("tg", "tgk"), ("th", "tha"), ("ti", "tir"), ("tk", "tuk"), ("tl", "tgl"), ("tn", "tsn"),
    ("to", "ton"), ("tr", "tur"), ("ts", "tso"), ("tt", "tat"), ("tw", "twi"), ("ty", "tah"), ("ug", "uig"),
    ("uk", "ukr"), ("ur", "urd"), ("uz", "uzb"), ("ve", "ven"), ("vi", "vie"), ("vo", "vol"), ("wa", "wln"),
    ("wo", "wol"), ("xh", "xho"), ("yi", "yid"), ("yo", "yor"), ("za", "zha"), ("zh", "zho"), ("zu", "zul"),
];

/// Languages without a two-letter code that pages are written in.
#[rustfmt::skip]
const THREE_LETTERS: [&str; 31] = [
    "ast", "ceb", "ckb", "cnr", "dsb", "fil", "fur", "gsw", "haw", "hmn", "hsb", "jbo", "kab", "kok", "lmo", "mai",
    "mni", "nap", "nds", "nso", "pap", "pms", "sah", "scn", "shn", "szl", "tet", "tpi", "vec", "war", "yue",
];

/// Languages that are alike in writing, so that a detector may take one for the other.
const ALIKE: &[&[&str]] = &[
    &["no", "nn", "da"],
    &["da", "fo"],
    &["hr", "sr", "bs"],
    &["sl", "hr"],
    &["id", "ms", "jv", "su"],
    &["cs", "sk"],
    &["es", "gl", "ast", "an", "ca"],
    &["pt", "gl"],
    &["ca", "oc"],
    &["fr", "oc"],
    &["de", "lb", "gsw"],
    &["nl", "af", "fy"],
    &["it", "co", "sc"],
    &["ru", "be", "uk"],
    &["ru", "tt", "kk", "ky", "mn", "tg", "ba", "cv", "os"],
    &["bg", "mk"],
    &["sr", "mk"],
    &["tr", "az", "tk"],
    &["hi", "mr", "ne", "sa"],
    &["ar", "fa", "ur", "ps", "ckb", "ug", "sd"],
    &["fi", "et"],
    &["tl", "ceb"],
    &["zu", "xh", "sn"],
];

/// What a page claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The primary subtag.
    pub language: &'static str,
    /// Whether it says that it is in traditional Chinese, by script or by country. `None` if it says neither.
    pub is_traditional: Option<bool>,
}

impl Claim {
    /// Reads a language tag as pages write it: `en`, `en-US`, `en_us`, `eng`; of several, the first. `None` if it names no
    /// language, as `utf-8` and `english` do not.
    pub fn parse(claimed: &str) -> Option<Self> {
        let first = claimed.split([',', ';', ' ', '/', '|']).find(|part| !part.is_empty())?;
        let mut subtags = first.split(['-', '_']);
        let language = code(&subtags.next()?.to_ascii_lowercase())?;
        let is_traditional = subtags.find_map(|subtag| match &*subtag.to_ascii_lowercase() {
            "hant" | "tw" | "hk" | "mo" | "cht" => Some(true),
            "hans" | "cn" | "sg" | "chs" => Some(false),
            _ => None,
        });
        Some(Self {
            language,
            is_traditional,
        })
    }

    /// Whether a detector may take the claimed language for another one.
    pub fn is_like(self, language: &str) -> bool {
        let both = |group: &&[&str]| group.contains(&self.language) && group.contains(&language);
        ALIKE.iter().any(both)
    }
}

/// The primary subtag for a code of two or three letters. `None` if it is not known.
pub fn code(code: &str) -> Option<&'static str> {
    let code = match code {
        "iw" => "he",
        "in" => "id",
        "ji" => "yi",
        "jw" => "jv",
        // Bokmål is by far the most of what is written in Norwegian, and often called that.
        "nb" | "nob" => "no",
        "cmn" => "zh",
        "pes" | "prs" => "fa",
        "npi" => "ne",
        "ory" => "or",
        "lvs" => "lv",
        "ekk" => "et",
        "uzn" => "uz",
        "azj" => "az",
        "ydd" => "yi",
        other => other,
    };
    let known = CODES.iter().find(|(two, three)| *two == code || *three == code);
    let three = || THREE_LETTERS.iter().find(|three| **three == code).copied();
    known.map(|(two, _)| *two).or_else(three)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_read_as_pages_write_them() {
        let language = |claimed| Claim::parse(claimed).map(|claim| claim.language);
        for (claimed, expected) in [
            ("en", "en"),
            ("EN_us", "en"),
            ("eng", "en"),
            ("de-AT", "de"),
            (" fr, en", "fr"),
            ("iw", "he"),
            ("nb-NO", "no"),
            ("zh-Hant-HK", "zh"),
            ("fil", "fil"),
        ] {
            assert_eq!(language(claimed), Some(expected), "{claimed}");
        }
        for claimed in ["", "utf-8", "english", "x-default", "-", "日本語", "xx", "{{lang}}"] {
            assert_eq!(language(claimed), None, "{claimed}");
        }
        let way = |claimed| Claim::parse(claimed).and_then(|claim| claim.is_traditional);
        assert_eq!(way("zh-tw"), Some(true));
        assert_eq!(way("zh-hant-cn"), Some(true));
        assert_eq!(way("zh_CN"), Some(false));
        assert_eq!(way("zh"), None);
    }
}
