//! Scripts: what a text is written in, and which languages are written so.

use std::sync::LazyLock;

/// A script that the detector tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    Latin,
    Cyrillic,
    Arabic,
    Devanagari,
    Hebrew,
    /// Ideographs, as in Chinese.
    Han,
    /// Hiragana and Katakana.
    Kana,
    Hangul,
    /// A script that is known by the languages in this place of [`FEW`].
    Few(u8),
}

/// Scripts of few languages: the first and the last character, and the languages, the most common one first.
const FEW: [(char, char, &[&str]); 19] = [
    ('\u{370}', '\u{3FF}', &["el"]),
    ('\u{530}', '\u{58F}', &["hy"]),
    ('\u{780}', '\u{7BF}', &["dv"]),
    ('\u{980}', '\u{9FF}', &["bn", "as"]),
    ('\u{A00}', '\u{A7F}', &["pa"]),
    ('\u{A80}', '\u{AFF}', &["gu"]),
    ('\u{B00}', '\u{B7F}', &["or"]),
    ('\u{B80}', '\u{BFF}', &["ta"]),
    ('\u{C00}', '\u{C7F}', &["te"]),
    ('\u{C80}', '\u{CFF}', &["kn"]),
    ('\u{D00}', '\u{D7F}', &["ml"]),
    ('\u{D80}', '\u{DFF}', &["si"]),
    ('\u{E00}', '\u{E7F}', &["th"]),
    ('\u{E80}', '\u{EFF}', &["lo"]),
    ('\u{F00}', '\u{FFF}', &["bo", "dz"]),
    ('\u{1000}', '\u{109F}', &["my"]),
    ('\u{10A0}', '\u{10FF}', &["ka"]),
    ('\u{1200}', '\u{137F}', &["am", "ti"]),
    ('\u{1780}', '\u{17FF}', &["km"]),
];

/// Languages written in Cyrillic, Arabic, Devanagari and Hebrew.
const CYRILLIC: &[&str] = &[
    "ru", "uk", "bg", "sr", "mk", "be", "kk", "ky", "tg", "mn", "uz", "az", "tt", "ba", "cv", "os", "ce", "bs", "cu",
    "kv",
];
const ARABIC: &[&str] = &["ar", "fa", "ur", "ps", "ug", "sd", "ku", "ks", "az", "uz", "kk", "ms"];
const DEVANAGARI: &[&str] = &["hi", "mr", "ne", "sa", "ks", "sd"];
const HEBREW: &[&str] = &["he", "yi"];

/// How many scripts there are.
pub const KINDS: usize = 8 + FEW.len();

impl Script {
    /// The script of a letter that is not of ASCII.
    fn of(c: char) -> Option<Self> {
        Some(match c {
            '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => Self::Latin,
            '\u{400}'..='\u{52F}' => Self::Cyrillic,
            '\u{590}'..='\u{5FF}' => Self::Hebrew,
            '\u{600}'..='\u{6FF}' | '\u{750}'..='\u{77F}' | '\u{FB50}'..='\u{FEFC}' => Self::Arabic,
            '\u{900}'..='\u{97F}' => Self::Devanagari,
            '\u{3041}'..='\u{30FF}' => Self::Kana,
            '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}' => {
                Self::Han
            }
            '\u{1100}'..='\u{11FF}' | '\u{AC00}'..='\u{D7AF}' => Self::Hangul,
            '\u{1F00}'..='\u{1FFF}' => Self::Few(0),
            _ => {
                let place = FEW.partition_point(|(_, last, _)| *last < c);
                let (first, ..) = FEW.get(place)?;
                (*first <= c).then_some(Self::Few(place as u8))?
            }
        })
    }

    /// A number of its own, less than [`KINDS`].
    pub fn place(self) -> usize {
        match self {
            Self::Latin => 0,
            Self::Cyrillic => 1,
            Self::Arabic => 2,
            Self::Devanagari => 3,
            Self::Hebrew => 4,
            Self::Han => 5,
            Self::Kana => 6,
            Self::Hangul => 7,
            Self::Few(i) => 8 + usize::from(i),
        }
    }

    /// Every script.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        use Script::{Arabic, Cyrillic, Devanagari, Han, Hangul, Hebrew, Kana, Latin};
        let few = (0..FEW.len() as u8).map(Self::Few);
        [Latin, Cyrillic, Arabic, Devanagari, Hebrew, Han, Kana, Hangul]
            .into_iter()
            .chain(few)
    }

    /// Its languages, the most common one first. `None` for Latin, which has too many to list.
    pub fn languages(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Latin => None,
            Self::Cyrillic => Some(CYRILLIC),
            Self::Arabic => Some(ARABIC),
            Self::Devanagari => Some(DEVANAGARI),
            Self::Hebrew => Some(HEBREW),
            Self::Han => Some(&["zh", "ja", "ko"]),
            Self::Kana => Some(&["ja"]),
            Self::Hangul => Some(&["ko"]),
            Self::Few(i) => FEW.get(usize::from(i)).map(|(.., languages)| *languages),
        }
    }

    /// Whether the language is written in this script.
    pub fn writes(self, language: &str) -> bool {
        match self.languages() {
            Some(languages) => languages.contains(&language),
            None => {
                let mut one_script = FEW.iter().flat_map(|(.., languages)| languages.iter());
                let both = ["sr", "uz", "az", "bs", "kk", "ms", "ku", "tt", "mn"];
                let lists = [CYRILLIC, ARABIC, DEVANAGARI, HEBREW, &["zh", "ja", "ko"]];
                both.contains(&language)
                    || !one_script.any(|l| *l == language) && !lists.iter().any(|list| list.contains(&language))
            }
        }
    }
}

/// The letters of a text by script.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    counts: [u32; KINDS],
    /// Chinese characters that are only written in the simplified, and only in the traditional way.
    simplified: u32,
    traditional: u32,
}

impl Tally {
    /// Counts the letters of a text.
    pub fn of(text: &str) -> Self {
        let mut tally = Self::default();
        tally.counts[Script::Latin.place()] = text.bytes().map(|b| u32::from(b.is_ascii_alphabetic())).sum();
        for c in text.chars().filter(|c| !c.is_ascii()) {
            let Some(script) = Script::of(c) else { continue };
            tally.counts[script.place()] += 1;
            if script == Script::Han {
                let way = (c as usize).checked_sub(FIRST_IDEOGRAPH).and_then(|i| WAYS.get(i));
                tally.simplified += u32::from(way == Some(&Way::Simplified));
                tally.traditional += u32::from(way == Some(&Way::Traditional));
            }
        }
        tally
    }

    fn count(&self, script: Script) -> u32 {
        self.counts[script.place()]
    }

    /// How many letters there are.
    pub fn letters(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// The main script and its share of the letters, 0 to 1. `None` without letters.
    ///
    /// An ideograph or a syllable says as much as several letters, so it counts as three. Kana are written between
    /// ideographs, so a text with a few of them is Japanese.
    pub fn main(&self) -> Option<(Script, f64)> {
        let weigh = |script: Script| match script {
            Script::Han | Script::Kana | Script::Hangul => 3 * self.count(script),
            _ => self.count(script),
        };
        use Script::{Han, Kana};
        let all: u32 = Script::all().map(weigh).sum();
        let (han, kana) = (weigh(Han), weigh(Kana));
        let (best, weight) = Script::all()
            .map(|script| match script {
                Han | Kana => (script, han + kana),
                _ => (script, weigh(script)),
            })
            .max_by_key(|(script, weight)| (*weight, *script == Han))?;
        let best = match best {
            Han | Kana if kana * 20 > han + kana => Kana,
            Kana => Han,
            other => other,
        };
        (weight > 0).then(|| (best, f64::from(weight) / f64::from(all)))
    }

    /// Whether a Chinese text is written in traditional characters. `None` if no character tells.
    pub fn is_traditional(&self) -> Option<bool> {
        (self.simplified != self.traditional).then_some(self.traditional > self.simplified)
    }
}

/// How an ideograph is written in Chinese.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Both,
    Simplified,
    Traditional,
}

const FIRST_IDEOGRAPH: usize = 0x4E00;

/// The way of each character from [`FIRST_IDEOGRAPH`] on.
static WAYS: LazyLock<Vec<Way>> = LazyLock::new(|| {
    let mut ways = vec![Way::Both; 0xA000 - FIRST_IDEOGRAPH];
    for (characters, way) in [(SIMPLIFIED, Way::Simplified), (TRADITIONAL, Way::Traditional)] {
        for c in characters.chars() {
            if let Some(place) = ways.get_mut((c as usize).wrapping_sub(FIRST_IDEOGRAPH)) {
                *place = way;
            }
        }
    }
    ways
});

/// Frequent characters that only simplified Chinese has.
const SIMPLIFIED: &str = "\
    万与专业东丝两严个丰临为么义乐习乡书买亚产亲亿从们价众优会伟传伤体党关兴养内写军农决况减凭刘则创别剧劝务动劳区医\
    华单卖卫厂厅历压县参双发变叶号吗听启员响团园围国图场坏坚坛墙声处头奖妇妈孙学实审宾对导将尔尝尽层岁岗币师带广庆应\
    开异张归当录彻态总愿戏战报换据敌数断无时显术机权条来极构标树样梦检楼欢气汉没测温湾满灯灵点热爱爷状犹环现电画盖盘\
    码确离种称穷笔简类粮紧约级纪线练组细织绍经结给统继续维编网罗联胜脑脸舰艺节苏荣药获营蓝虑虽补装见观规视觉认让训议\
    讯讲论设访证评识诉词译诗该语说请诸谈财责账货质购贰贴贵贸费资赛赶车转软轻载边辽达过运还这进远适选递遗邮针钟钢钱铁\
    银链错长门问间闻阅队阳阴阶际陆险难页项顺顾预领频题风飞馆马驻验鱼鸟黄齐龙龟";

/// Frequent characters that only traditional Chinese has.
const TRADITIONAL: &str = "\
    亞來個們偉傳傷價億優內兩別則創劇劉動務勝勞勸區參員問啟單嗎嘗嚴國圍園圖團堅報場壇壓壞夢婦媽孫學實審寫將專對導層崗\
    師帶幣廠廣廳張從徹愛態慮慶憑應戰戲換據敵數斷時書會東條業極榮構樂樓標樣樹機檢權歡歲歷歸氣決沒況減測溫滿漢灣為無熱\
    燈營爺爾牆狀猶獎獲現環產畫異當發盡盤眾確碼種稱窮筆節簡糧紀約級細紹組結給統絲經維網緊線編練縣總織繼續羅義習聞聯聲\
    聽腦臉臨與興艦華萬葉蓋藍藝藥蘇處號術衛補裝見規視親覺觀訊訓訪設訴評詞詩該認語說談請論諸講證識譯議變讓豐財貨責貳貴\
    買費貼貿資賓賣質賬購賽趕車軍軟載輕轉農這進運過達遞遠適選遺遼還邊郵鄉醫針銀鋼錄錢錯鏈鐘鐵長門開間閱關陰陸陽隊階際\
    險雖雙離難電靈響頁項順預領頭頻題願類顧顯風飛養館馬駐驗體魚鳥麼黃點黨齊龍龜";
