//! The words before a date that say what it is the date of.

use super::tokens::{Token, tokens};

/// What the words before a date say that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    None,
    Published,
    Changed,
    /// The day on which somebody became a member, which forums show beside each post.
    Joined,
}

/// What a text says that a date after it is.
pub(crate) fn label(text: &str) -> Label {
    label_of(&tokens(text))
}

/// What some tokens say that a date after them is.
pub(super) fn label_of(tokens: &[Token]) -> Label {
    let has = |tokens: &[Token], words: &[&str]| {
        let is =
            |token: &Token| matches!(token, Token::Word(word) if words.iter().any(|start| word.starts_with(start)));
        tokens.iter().any(is)
    };
    let last = &tokens[tokens.len().saturating_sub(JOINED_WITHIN)..];
    let is = |token: &Token, word: &str| matches!(token, Token::Word(found) if *found == word);
    let is_pair = |pair: &[Token]| JOINED_PAIRS.iter().any(|(a, b)| is(&pair[0], a) && is(&pair[1], b));
    if has(last, JOINED) || last.windows(2).any(is_pair) {
        Label::Joined
    } else if has(tokens, CHANGED) {
        Label::Changed
    } else if has(tokens, PUBLISHED) {
        Label::Published
    } else {
        Label::None
    }
}

/// How many tokens before a date say that it is that of a member. What stands farther away belongs to another date.
const JOINED_WITHIN: usize = 3;

/// Words that stand before the day on which somebody became a member: stems in lower case.
const JOINED: &[&str] = &[
    "joined",
    "registered",
    "founded",
    "registrier",
    "beigetreten",
    "mitglied",
    "inscri",
    "miembro",
    "membro",
    "iscritt",
    "dołącz",
    "rejestr",
    "регистр",
    "зареєстр",
    "εγγρ",
    "注册",
    "註冊",
    "가입",
];

/// Pairs of words that do, though each means other things as well.
const JOINED_PAIRS: &[(&str, &str)] = &[("join", "date"), ("member", "since"), ("lid", "sinds")];

/// Words that stand before the day of a change: stems in lower case.
const CHANGED: &[&str] = &[
    "updat",
    "modif",
    "edit",
    "revis",
    "review",
    "aktualis",
    "geändert",
    "mis",
    "maj",
    "actualiz",
    "atualiz",
    "aggiorn",
    "bijgewerkt",
    "gewijzigd",
    "uppdater",
    "oppdater",
    "opdater",
    "päivitet",
    "muokat",
    "zaktualiz",
    "aktualiz",
    "upraven",
    "обновл",
    "изменен",
    "оновл",
    "обнов",
    "ενημ",
    "τροποπ",
    "güncel",
    "更",
    "修",
    "수정",
    "업데이트",
    "diperbarui",
    "cập",
    "แก้",
    "อัป",
    "محدث",
    "تحديث",
    "به\u{200c}روز",
    "עודכן",
    "frissít",
    "módosít",
    "ажурир",
    "ažurir",
    "posodob",
    "atnauj",
    "uuendat",
    "atjaun",
];

/// Words that stand before the day of publication.
const PUBLISHED: &[&str] = &[
    "publish",
    "posted",
    "post",
    "publi",
    "veröffentlich",
    "erschienen",
    "erstellt",
    "pubblic",
    "geplaatst",
    "gepubliceerd",
    "publicer",
    "julkaist",
    "opublik",
    "dodan",
    "опубл",
    "размещ",
    "создан",
    "δημοσ",
    "yayın",
    "发",
    "發",
    "公",
    "投",
    "게시",
    "등록",
    "입력",
    "diterbitkan",
    "đăng",
    "เผยแพร่",
    "โพสต์",
    "نشر",
    "منتشر",
    "פורסם",
    "objav",
    "közzé",
    "megjelen",
    "released",
    "written",
    "created",
    "added",
    "date",
    "datum",
    "fecha",
    "data",
    "dated",
];
