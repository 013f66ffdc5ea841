//! The names of months in many languages.

use std::sync::LazyLock;

/// What a month's name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Month {
    Gregorian(u32),
    Persian(u32),
}

/// A language and its twelve months. A month has several names, and a name that begins longer words is a stem: of four
/// characters or more, up to [`INFLECTION`] more may follow, so that `März` and `januari` need one form each and Slavic and
/// Baltic cases need the stem alone. Shorter names must be the whole word. Marks on letters count.
type Language = (&'static str, [&'static str; 12]);

/// The most characters of an ending.
const INFLECTION: usize = 5;

#[rustfmt::skip]
const LANGUAGES: &[Language] = &[
    ("en", ["january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sept sep", "october oct", "november nov", "december dec"]),
    ("de", ["januar jan jänner jän", "februar feb feber", "märz mär mrz maerz", "april apr", "mai", "juni jun", "juli jul", "august aug", "september sept sep", "oktober okt", "november nov", "dezember dez"]),
    ("fr", ["janvier janv jan", "février fevrier févr fév fev", "mars mar", "avril avr", "mai", "juin", "juillet juil", "août aout aoû", "septembre sept sep", "octobre oct", "novembre nov", "décembre decembre déc dec"]),
    ("es", ["enero ene", "febrero feb", "marzo mar", "abril abr", "mayo may", "junio jun", "julio jul", "agosto ago", "septiembre setiembre sept sep set", "octubre oct", "noviembre nov", "diciembre dic"]),
    ("pt", ["janeiro jan", "fevereiro fev", "março marco mar", "abril abr", "maio mai", "junho jun", "julho jul", "agosto ago", "setembro set", "outubro out", "novembro nov", "dezembro dez"]),
    ("it", ["gennaio gen", "febbraio feb", "marzo mar", "aprile apr", "maggio mag", "giugno giu", "luglio lug", "agosto ago", "settembre sett set", "ottobre ott", "novembre nov", "dicembre dic"]),
    ("nl", ["januari jan", "februari feb", "maart mrt", "april apr", "mei", "juni jun", "juli jul", "augustus aug", "september sept sep", "oktober okt", "november nov", "december dec"]),
    ("sv", ["januari jan", "februari feb febr", "mars mar", "april apr", "maj", "juni jun", "juli jul", "augusti aug", "september sept sep", "oktober okt", "november nov", "december dec"]),
    ("da", ["januar jan", "februar feb", "marts mar", "april apr", "maj", "juni jun", "juli jul", "august aug", "september sep", "oktober okt", "november nov", "december dec"]),
    ("no", ["januar jan", "februar feb", "mars mar", "april apr", "mai", "juni jun", "juli jul", "august aug", "september sep", "oktober okt", "november nov", "desember des"]),
    ("is", ["janúar jan", "febrúar feb", "mars mar", "apríl apr", "maí", "júní jún", "júlí júl", "ágúst ágú", "september sep", "október okt", "nóvember nóv", "desember des"]),
    ("fi", ["tammikuu tammi", "helmikuu helmi", "maaliskuu maalis", "huhtikuu huhti", "toukokuu touko", "kesäkuu kesä", "heinäkuu heinä", "elokuu elo", "syyskuu syys", "lokakuu loka", "marraskuu marras", "joulukuu joulu"]),
    ("et", ["jaanuar jaan", "veebruar veebr", "märts", "aprill apr", "mai", "juuni", "juuli", "august aug", "september sept", "oktoober okt", "november nov", "detsember dets"]),
    ("lv", ["janvār janv", "februār febr", "marts mart", "aprīl apr", "maijs maij", "jūnij jūn", "jūlij jūl", "august aug", "septembr sept", "oktobr okt", "novembr nov", "decembr dec"]),
    ("lt", ["saus sausio sausis", "vasar vasario", "kovo kovas kov", "baland", "geguž geg", "birž birželio", "liep liepos", "rugpj", "rugs rugsėjo", "spal spalio", "lapkr lapkričio", "gruod gruodžio"]),
    ("pl", ["styczeń stycznia sty", "luty lutego lut", "marzec marca mar", "kwiecień kwietnia kwi", "maj maja", "czerwiec czerwca cze", "lipiec lipca lip", "sierpień sierpnia sie", "wrzesień września wrz", "październik paź", "listopad lis", "grudzień grudnia gru"]),
    ("cs", ["leden ledna led", "únor úno", "březen března bře", "duben dubna dub", "květen května kvě", "červen června čvn", "červenec července čvc", "srpen srpna srp", "září zář", "říjen října říj", "listopad lis", "prosinec prosince pro"]),
    ("sk", ["január jan", "február feb", "marec marca mar", "apríl apr", "máj mája", "jún júna", "júl júla", "august aug", "septembr sep", "októb okt", "novemb nov", "decemb dec"]),
    ("hu", ["január jan", "február febr feb", "március márc már", "április ápr", "május máj", "június jún", "július júl", "augusztus aug", "szeptember szept", "október okt", "november nov", "december dec"]),
    ("ro", ["ianuarie ian", "februarie feb", "martie mart mar", "aprilie apr", "mai", "iunie iun", "iulie iul", "august aug", "septembrie sept sep", "octombrie oct", "noiembrie noi nov", "decembrie dec"]),
    ("bg", ["януари яну", "февруари фев", "март мар", "април апр", "май", "юни", "юли", "август авг", "септември сеп", "октомври окт", "ноември ное", "декември дек"]),
    ("ru", ["январ янв", "феврал фев", "март марта мар", "апрел апр", "май мая", "июнь июня июн", "июль июля июл", "август авг", "сентябр сент сен", "октябр окт", "ноябр ноя нояб", "декабр дек"]),
    ("uk", ["січень січня січ", "лютий лютого лют", "березень березня бер", "квітень квітня кві квіт", "травень травня тра трав", "червень червня чер черв", "липень липня лип", "серпень серпня сер серп", "вересень вересня вер", "жовтень жовтня жов жовт", "листопад лис лист", "грудень грудня гру груд"]),
    ("be", ["студзень студзеня", "люты лютага", "сакавік", "красавік", "май мая траўня", "чэрвень чэрвеня", "ліпень ліпеня", "жнівень жніўня", "верасень верасня", "кастрычнік", "лістапад", "снежань снежня"]),
    ("sr", ["јануар јан", "фебруар феб", "март мар", "април апр", "мај маја", "јун јуна јуни", "јул јула јули", "август авг", "септембар септембра сеп", "октобар октобра окт", "новембар новембра нов", "децембар децембра дец"]),
    ("mk", ["јануари", "февруари", "март", "април", "мај", "јуни", "јули", "август", "септември", "октомври", "ноември", "декември"]),
    ("hr", ["siječanj siječnja sij", "veljač velj", "ožujak ožujka ožu", "travanj travnja tra", "svibanj svibnja svi", "lipanj lipnja lip", "srpanj srpnja srp", "kolovoz kol", "rujan rujna ruj", "listopad lis", "studeni studenog stu", "prosinac prosinca pro"]),
    ("sl", ["januar jan", "februar feb", "marec marca mar", "april apr", "maj maja", "junij junija jun", "julij julija jul", "avgust avg", "september sep", "oktober okt", "november nov", "december dec"]),
    ("sh", ["januar jan", "februar feb", "mart marta mar", "april apr", "maj maja", "jun juna juni", "jul jula juli", "avgust avg", "septembar septembra sep", "oktobar oktobra okt", "novembar novembra nov", "decembar decembra dec"]),
    ("sq", ["janar jan", "shkurt shk", "mars mar", "prill pri", "maj", "qershor qer", "korrik kor", "gusht gus", "shtator sht", "tetor tet", "nëntor nën", "dhjetor dhj"]),
    ("el", ["ιανουαρ ιαν", "φεβρουαρ φεβ φεβρ", "μαρτ μάρτ μαρ μάρ", "απριλ απρίλ απρ", "μαϊος μαΐου μάιος μάϊος μαϊου μαΐ μαϊ μάι μάιου", "ιουνι ιούνι ιουν ιούν", "ιουλι ιούλι ιουλ ιούλ", "αυγούστ αυγουστ αύγουστ αυγ", "σεπτεμβρ σεπτέμβρ σεπ σεπτ", "οκτωβρ οκτώβρ οκτ", "νοεμβρ νοέμβρ νοε νοέ", "δεκεμβρ δεκέμβρ δεκ"]),
    ("tr", ["ocak oca", "şubat şub", "mart mar", "nisan nis", "mayıs may", "haziran haz", "temmuz tem", "ağustos ağu", "eylül eyl", "ekim eki", "kasım kas", "aralık ara"]),
    ("az", ["yanvar", "fevral", "mart", "aprel", "may", "iyun", "iyul", "avqust", "sentyabr", "oktyabr", "noyabr", "dekabr"]),
    ("uz", ["yanvar", "fevral", "mart", "aprel", "may", "iyun", "iyul", "avgust", "sentabr", "oktabr", "noyabr", "dekabr"]),
    ("kk", ["қаңтар", "ақпан", "наурыз", "сәуір", "мамыр", "маусым", "шілде", "тамыз", "қыркүйек", "қазан", "қараша", "желтоқсан"]),
    ("ca", ["gener gen", "febrer febr", "març", "abril abr", "maig", "juny", "juliol jul", "agost ag", "setembre set", "octubre oct", "novembre nov", "desembre des"]),
    ("gl", ["xaneiro xan", "febreiro feb", "marzo mar", "abril abr", "maio", "xuño", "xullo", "agosto ago", "setembro set", "outubro out", "novembro nov", "decembro dec"]),
    ("eu", ["urtarril urt", "otsail ots", "martxo mar", "apiril api", "maiatz mai", "ekain eka", "uztail uzt", "abuztu abu", "irail ira", "urri", "azaro aza", "abendu abe"]),
    ("cy", ["ionawr", "chwefror", "mawrth", "ebrill", "mai", "mehefin", "gorffennaf", "awst", "medi", "hydref", "tachwedd", "rhagfyr"]),
    ("ga", ["eanáir", "feabhra", "márta", "aibreán", "bealtaine", "meitheamh", "iúil", "lúnasa", "meán", "deireadh", "samhain", "nollaig"]),
    ("id", ["januari jan", "februari feb", "maret mar", "april apr", "mei", "juni jun", "juli jul", "agustus agu agt", "september sep", "oktober okt", "november nov", "desember des"]),
    ("ms", ["januari jan", "februari feb", "mac", "april apr", "mei", "jun", "julai jul", "ogos ogo", "september sep", "oktober okt", "november nov", "disember dis"]),
    ("sw", ["januari", "februari", "machi", "aprili", "mei", "juni", "julai", "agosti", "septemba", "oktoba", "novemba", "desemba"]),
    ("tl", ["enero", "pebrero", "marso", "abril", "mayo", "hunyo", "hulyo", "agosto", "setyembre", "oktubre", "nobyembre", "disyembre"]),
    ("eo", ["januaro", "februaro", "marto", "aprilo", "majo", "junio", "julio", "aŭgusto", "septembro", "oktobro", "novembro", "decembro"]),
    ("hi", ["जनवरी जन", "फ़रवरी फरवरी फर", "मार्च", "अप्रैल", "मई", "जून", "जुलाई", "अगस्त अग", "सितंबर सितम्बर", "अक्टूबर अक्तूबर", "नवंबर नवम्बर", "दिसंबर दिसम्बर"]),
    ("bn", ["জানুয়ারি জানুয়ারী জানুয়ারি", "ফেব্রুয়ারি ফেব্রুয়ারী ফেব্রুয়ারি", "মার্চ", "এপ্রিল", "মে", "জুন", "জুলাই", "আগস্ট", "সেপ্টেম্বর", "অক্টোবর", "নভেম্বর", "ডিসেম্বর"]),
    ("ta", ["ஜனவரி", "பிப்ரவரி", "மார்ச்", "ஏப்ரல்", "மே", "ஜூன்", "ஜூலை", "ஆகஸ்ட்", "செப்டம்பர்", "அக்டோபர்", "நவம்பர்", "டிசம்பர்"]),
    ("ur", ["جنوری", "فروری", "مارچ", "اپریل", "مئی", "جون", "جولائی", "اگست", "ستمبر", "اکتوبر", "نومبر", "دسمبر"]),
    ("th", ["มกราคม มค", "กุมภาพันธ์ กพ", "มีนาคม มีค", "เมษายน เมย", "พฤษภาคม พค", "มิถุนายน มิย", "กรกฎาคม กค", "สิงหาคม สค", "กันยายน กย", "ตุลาคม ตค", "พฤศจิกายน พย", "ธันวาคม ธค"]),
    ("ar", ["يناير جانفي", "فبراير شباط فيفري", "مارس آذار", "أبريل ابريل إبريل نيسان أفريل", "مايو أيار ماي", "يونيو حزيران جوان", "يوليو تموز جويلية", "أغسطس اغسطس آب أوت", "سبتمبر أيلول", "أكتوبر اكتوبر", "نوفمبر", "ديسمبر"]),
    ("fa", ["ژانویه", "فوریه", "مارس", "آوریل", "مه", "ژوئن", "ژوئیه", "اوت", "سپتامبر", "اکتبر", "نوامبر", "دسامبر"]),
    ("he", ["ינואר", "פברואר", "מרץ מרס", "אפריל", "מאי", "יוני", "יולי", "אוגוסט", "ספטמבר", "אוקטובר", "נובמבר", "דצמבר"]),
    ("ka", ["იანვარი იანვ", "თებერვალი თებ", "მარტი", "აპრილი", "მაისი", "ივნისი", "ივლისი", "აგვისტო", "სექტემბერი", "ოქტომბერი", "ნოემბერი", "დეკემბერი"]),
    ("hy", ["հունվար", "փետրվար", "մարտ", "ապրիլ", "մայիս", "հունիս", "հուլիս", "օգոստոս", "սեպտեմբեր", "հոկտեմբեր", "նոյեմբեր", "դեկտեմբեր"]),
];

/// The months of the Persian calendar.
const PERSIAN: [&str; 12] = [
    "فروردین",
    "اردیبهشت",
    "خرداد",
    "تیر",
    "مرداد",
    "شهریور",
    "مهر",
    "آبان",
    "آذر",
    "دی",
    "بهمن",
    "اسفند",
];

/// The names in order, with their languages and meanings.
static NAMES: LazyLock<Vec<(&str, &str, Month)>> = LazyLock::new(|| {
    let mut names = Vec::new();
    for (language, months) in LANGUAGES {
        for (number, month) in (1..).zip(months) {
            names.extend(month.split(' ').map(|name| (name, *language, Month::Gregorian(number))));
        }
    }
    names.extend(
        (1..)
            .zip(PERSIAN)
            .map(|(number, name)| (name, "fa", Month::Persian(number))),
    );
    names.sort_unstable_by_key(|(name, language, _)| (*name, *language));
    names
});

/// The month that a word in lower case names. Of languages that do not agree, that of the page decides.
pub(super) fn month(word: &str, language: &str) -> Option<Month> {
    let boundaries = word.char_indices().map(|(at, c)| at + c.len_utf8());
    let ends: Vec<usize> = boundaries.take(24).collect();
    for (at, end) in ends.iter().enumerate().rev() {
        let (chars, rest) = (at + 1, ends.len() - at - 1);
        let whole = *end == word.len();
        if rest > INFLECTION || !whole && chars < 4 || chars < 2 {
            break;
        }
        if let Some(month) = named(&word[..*end], language) {
            return Some(month);
        }
    }
    // In Hebrew, "in" is a letter before the month.
    word.strip_prefix('ב').and_then(|word| named(word, language))
}

fn named(name: &str, language: &str) -> Option<Month> {
    let from = NAMES.partition_point(|(other, ..)| *other < name);
    let mut same = NAMES[from..].iter().take_while(|(other, ..)| *other == name);
    let (.., first) = same.clone().next()?;
    if same.clone().all(|(.., month)| month == first) {
        return Some(*first);
    }
    same.find(|(_, of, _)| *of == language).map(|(.., month)| *month)
}
