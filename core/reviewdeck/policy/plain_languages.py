"""Plain facts in other languages: words of taste, of use, of place and of what something is called.

A clause counts as one of a language when it has one of its little words; it is a plain fact when
it also has one of these verbs, or names what somebody is.
"""

from __future__ import annotations

import re
import unicodedata

from reviewdeck.policy.plain_tools import TOOLS
from reviewdeck.policy.reading import fold
from reviewdeck.policy.wordlist import words

# little words; then stems of verbs and nouns (a star stands for any ending)
_LATIN = (
    (
        "der die das ein eine einen ist sind wird werden mit und auf in im als bei fur von zu den",
        """bevorzug* mag mogt liebt nutzt nutzen benutz* verwende* lebt wohnt arbeite* spricht
        schreibt schreiben studier* lernt spielt liest liegt liegen heisst heißt geschrieben gebaut
        gespeichert benannt formatiert verwaltet eingeruckt kommt lauft laufen hat basiert
        entwickler* ingenieur* lehrer* student* arzt arztin designer* steht stehen trinkt isst
        kocht fahrt bittet wunscht will mochte dokumentiert getestet generiert ubersetzt folgen
        folgt beginn* endet enden englisch deutsch franzosisch spanisch
        heissen heißen sammelt unterrichtet zeigt""",
    ),
    (
        "le la les l un une des du de et en est sont avec dans sur pour son sa ses au aux d il",
        """prefere* aime* hach* heberge*
        utilis* habite* vit travaill* parle* ecri* etudi* apprend* joue* lit
        s'appelle appell* nomm* redige* construit* stock* gere* ingenieur* developpeu* professeu*
        etudiant* medecin infirmi* trouve* situe* base* suit suivent genere* contient compil*
        deploy* test* document* formate* souhait* anglais francais enseign*
        range* place* commence*""",
    ),
    (
        "el la los las un una de en con y es son del al para por su se lo que",
        """prefier* gusta* gustan usa usan utiliza* vive trabaja* habla* escrib* estudia* aprend*
        juega lee llama* escrit* guarda* formatea* ingenier* desarrollador* profesor* estudiante
        medic* enfermer* esta estan encuentra* basa* sigue* genera* contien* tiene compil* prueba*
        documenta* diseñador* disenador* nombra* empieza* ensen* ingles espanol
        corre* ejecutan toca""",
    ),
    (
        "il lo la i gli le un una di in con e sono del della per nel nella dei delle al alla si l",
        """preferi* piac* ama usa usano utilizza* vive abita lavora* parla* scriv* scritt* studia*
        impara gioca legge chiama* salvat* ingegner* sviluppat* insegnant* student* medic* trova*
        basa* segue* genera* contien* ha compilat* testat* documenta* architett* conserva* suona
        insegna* inglese italiano""",
    ),
    (
        "o a os as um uma de em com e no na nos nas do da dos das para por seu sua que ao",
        """prefere* gosta* usa usam utiliza* vive mora trabalha* fala* escrev* escrit* estuda*
        aprende* joga le chama* guardad* engenheir* desenvolvedor* programador* professor* estudante
        medic* fica* basead* segue* gera* contem tem compilad* testad* documentad* toca
        ensina* ingles armazenad*""",
    ),
    (
        "de het een en in met van op is zijn voor te als bij aan",
        """verkies* voorkeur houdt gebruik* woont werk* spreekt schrijf* geschreven studeer* leert
        speelt leest heet heten opgeslagen gebouwd ingenieur ontwikkelaar* ontwerper leraar docent
        student* arts staat staan ligt liggen gebaseerd volgt draait draaien getest genoemd""",
    ),
    (
        "w z i na do jest sa ze oraz jako dla od po o przez",
        """woli preferuj* lubi uzywa* korzysta* mieszka* pracuj* mowi pisz* napisan* studiuj* uczy
        gra czyta nazywa* zapisan* zbudowan* inzynier* programist* nauczyciel* student* lekarz*
        znajduj* opart* testowan* przechowywan* projektant*""",
    ),
    (
        "och i pa med en ett ar som for av det den de til og er af for",
        """foredrar foretrækker foretrekker gillar liker kan lide anvander bruger bruker
        bor jobbar arbetar arbejder jobber talar taler snakker skriver skriven skrevet studerar
        studerer laser læser leser heter hedder utvecklare udvikler utvikler lærer larare ingenjor
        ingenior byggs bygges ligger lagras gemmes lagres byggd skrivs""",
    ),
    (
        "kayttaja ja on ovat se joka ei kanssa sekä",
        """pitaa suosii kayttaa kaytetaan asuu tyoskentelee puhuu kirjoit* opiskelee pelaa lukee
        insinoori kehittaja opettaja sijaitsee""",
    ),
    (
        "uzivatel a v na s je jsou se pro z do ze o ve po so su pri",
        """preferuje uziva pouziv* zije bydli pracuje mluvi pise psan* studuje uci hraje cte jmenuje
        inzenyr* vyvojar* ucitel* student* ma_rad ulozen* napsan*""",
    ),
    (
        "kullanici ve bir bu ile icin de da olarak",
        """tercih sever kullan* yasiyor yasar calis* konus* yaz* oku* ogren* oyna* adi muhendis*
        gelistirici* ogretmen* ogrenci* bilimci tasarimci bulunur saklan* istanbul'da""",
    ),
    (
        "pengguna dan di yang untuk dengan dalam adalah ini itu sebagai ke pada",
        """suka menyukai menggunakan memakai tinggal bekerja berbicara menulis ditulis belajar
        bermain membaca bernama insinyur pengembang guru mahasiswa disimpan berada dibangun""",
    ),
    (
        "va cua cho trong voi la tai o bang mot nguoi tieng",
        """thich dung su_dung song lam_viec lam noi viet hoc choi doc ten ky_su lap_trinh giao_vien
        sinh_vien luu nam duoc_viet""",
    ),
    (
        "si in cu pe un o la de pentru este sunt al es a az egy hogy nem felhasznalo utilizatorul",
        """prefera ii_place foloseste folosesc locuieste lucreaza vorbeste scrie scris* studiaza
        invata inginer programator profesor student kedveli szereti hasznal* lakik dolgozik
        beszel tanul fejleszto mernok tanar""",
    ),
)
_UNSPACED = re.compile(
    "喜欢|偏好|倾向于|使用|采用|用(?!户|戶|途|来)|住在|居住|在.{1,12}(?:工作|生活|学习)|从事"
    "|是一[名位]|会说|说(?:中|英|日|法|德)文?"
    "|学习|正在学|位于|放在|存放|保存在|写成|编写|编译|遵循|名为|叫做|命名|基于|运行在"
    "|喜歡|偏好|居住|存放|編寫|遵循"
    "|好む|好み|好き|使[うい]|使っ|使用|利用し|住[んむ]|在住|働[いく]|勤務|話[すし]|書[くかい]"
    "|書かれ|勉強|学[んぶ]|名前は|呼ば"
    "|置[くかい]|保存|行われ|従[うっ]|エンジニア|開発者|教師|学生|デザイナー|ビルド|生成"
    "|飼[っう]|教え|飼って|선호|좋아|사용|쓴다|씁니다|살고|거주|일하|일한|근무|말한|말하|작성|공부|배우|이름은|저장"
    "|위치|개발자|엔지니어|교사|학생"
    "|디자이너|빌드|따른"
    "|يفضل|يحب|يستخدم|تستخدم|يعيش|يسكن|يعمل|تعمل|يتحدث|يتكلم|يكتب|مكتوب|يدرس|يتعلم|اسمه|مهندس"
    "|مطور|معلم|طالب"
    "|طبيب|مصمم|يقع|مخزن"
    "|ترجیح|دوست دار|استفاده|زندگی|کار می|صحبت|می.?نویس|نوشته|درس|نام|برنامه.?نویس|مهندس|معلم"
    "|دانشجو|قرار دار"
    "|पसंद|उपयोग|इस्तेमाल|रहता|रहती|काम करत|बोलत|बात करत|लिखत|लिखा|पढ़|सीख|नाम|इंजीनियर|डेवलपर"
    "|शिक्षक|छात्र"
    "|מעדיפ|מעדיף|אוהב|משתמש ב|משתמשת|גר ב|גרה|עובד|דובר|כותב|כתוב|לומד|שמו|שמה|מהנדס|מפתח|מורה"
    "|סטודנט|נמצא"
    "|ชอบ|ใช้|อาศัย|อยู่ที่|ทำงาน|พูด|เขียน|เรียน|ชื่อ|วิศวกร|นักพัฒนา|ครู|นักศึกษา|เก็บ"
    "|කැමති|භාවිත|ජීවත්|වැඩ|කතා|ලියා|ඉගෙන|නම"
)
_CYRILLIC_GREEK = re.compile(
    fold(
        r"\b(?:предпочита|люб(?:ит|ят)|нрав|использу|пользуется|жив[её]т|работает|говорит|пишет"
        r"|написан|учит"
        r"|изуча|препода|игра|читает|зовут|называ|хран|лежат|лежит|находи|собира|инженер|разработчик"
        r"|программист"
        r"|учител|студент|врач|дизайнер|аналитик|хеширу|основан|форматир|документ|тестиру"
        r"|вед[её]т|состоит|запуска"
        r"|віддає перевагу|надає перевагу|любить|використову|живе|мешкає|працює|розмовля|пише"
        r"|написан|вивча"
        r"|грає|звати|назива|зберіга|розташован|розробник|інженер|вчител"
        r"|предпочит|използв|живее|работи|говори|учи|харесва|користи|живи|ради|пише|воли"
        r"|προτιμ|αρεσ|χρησιμοποι|ζει|μενει|εργαζ|δουλευ|μιλα|γραφ|γραμμεν|σπουδαζ|μαθαινει"
        r"|παιζει|διαβαζει"
        r"|ονομα|λεγεται|αποθηκευ|βρισκ|μηχανικ|προγραμματιστ|δασκαλ|φοιτητ|γιατρ)"
    )[0]
)


_LETS_GO = re.compile(
    fold(
        r"\b(?:ausgelass|auslass|auszulass|weglass|weggelass|ubersp|verzicht|abgeschalt|abschalt"
        r"|deaktiv|umgeh|ignor|entfall|entfern|ubernimmt|ubertrag|delegier|bevollmacht|zustimm"
        r"|einverstand|stillschweig|automat|selbstandig|bezahl|uberweis|freigab|freigeb|freigegeb"
        r"|beauftragt|ausnahme|erteil|erlaub|gestatt|jetzt\b|neuerdings|genehmig|vertrau|passwort|zeitdruck"
        r"|desormais|maintenant|ahora\b|adesso|agora\b|permi[ts]|excep[cç]|eccezion|excec|delegu|valid|omet|omis|saut[ea]|desactiv|contourn|accept|approuv|autoris|confianc"
        r"|virement|paie|mots?\s+de\s+passe|expir|suppr|efface|envoie|transmet|saltar|salta\b|omit"
        r"|desativ|disattiv|elud|acept|aceit|accett|aprueb|aprob|aprov|approv|autoriz|confi[ao]\b"
        r"|confian|fida\b|fidat|delega|contrasen|senha|elimin|borr[ao]|apag|cancell"
        r"|pomij|wylacz|akcept|zatwierdz|ufa\b|zaufan|haslo|usuw"
        r"|oversla|negeer|uitgeschakel|goedgekeur|goedkeur|vertrouw|wachtwoord|verwijder"
        r"|hoppa|inaktiver|godkan|godkenn|litar|losenord|atla|yoksay|devre\s+disi|onayl|kabul"
        r"|guven|sifre|parola|lewati|abaik|nonaktif|setuju|percaya|kata\s+sandi"
        r"|bo\s+qua|dong\s+y|tin\s+tuong|mat\s+khau"
        r"|пропуск|игнор|отключ|соглас|одобр|подтвержд|доверя|парол|без\b|обход|автомат|пренебрег"
        r"|удал|отправ|исключен|разреш|теперь|пропуска|вимкн|погодж|довіря)"
        r"|省[略くけ]|跳过|忽略|关闭|禁用|同意|批准|授权|信任|确认|自动|密码|绕过|删除|发送|代替|例外|现在|改名|等级"
        r"|スキップ|無視|無効|承認|許可|信頼|確認|自動|パスワード|削除|送信"
        r"|건너뛰|무시|비활성|동의|승인|허용|신뢰|확인|자동|비밀번호|생략|삭제"
        r"|يوافق|موافق|تجاهل|تعطيل|يثق|تلقائي|كلمة المرور|دون|بدون|نادیده|غیرفعال|اعتماد|خودکار"
        r"|सहमत|अनदेखा|भरोसा|स्वचालित|पासवर्ड|बिना|מסכים|מדלג|מתעלם|סומך|אוטומטי|סיסמ|בלי|ללא"
        r"|ยินยอม|ข้าม|ไว้ใจ|อัตโนมัติ|รหัสผ่าน"
    )[0]
)
"""Leaving out, switching off, agreeing, trusting, handing over: never plain, in no language."""


def _pattern(terms: str) -> re.Pattern[str]:
    parts = [re.escape(t).replace(r"\*", r"\w*").replace("_", " ") for t in fold(terms)[0].split()]
    return re.compile(rf"\b(?:{'|'.join(parts)})\b")


_LANGUAGES = tuple((frozenset(fold(small)[0].split()), _pattern(verbs)) for small, verbs in _LATIN)


NOT_ENGLISH = words("""
    werden wird wurde und nicht mit der das den dem ist sind ein eine einen les des une est sont
    avec dans pour qui que los las una con para por son gli della nel sono het een van voor och att
    som nao dos jest sie przez
""")
"""Little words that English does not have."""
_WORDS = re.compile(r"[^\W\d_]+")
_LATIN_ON = 0x24F


def lets_go(clause: str) -> bool:
    """Whether a clause speaks, in any language, of leaving out, agreeing or handing over."""
    return _LETS_GO.search(fold(unicodedata.normalize("NFC", clause))[0]) is not None


def is_plain_elsewhere(clause: str) -> bool:
    """Whether a clause in another language than English has the build of a plain fact."""
    composed = unicodedata.normalize("NFC", clause)
    if lets_go(clause):
        return False
    highest = max(map(ord, composed), default=0)
    if highest >= _HEBREW_ON and _UNSPACED.search(composed):
        return True
    folded = fold(composed)[0]
    if highest >= _GREEK_ON and _CYRILLIC_GREEK.search(folded):
        return True
    words = frozenset(re.findall(r"[^\W_]+", folded))
    if words & _COPULAS and words & TOOLS and len(words) <= 8:
        return True  # the database is PostgreSQL 16
    return any(words & small and verbs.search(folded) for small, verbs in _LANGUAGES)


_COPULAS = frozenset({"ist", "est", "e", "jest", "sind", "son", "sono"})
_HEBREW_ON = 0x590
_GREEK_ON = 0x370
