"""The words of a takeover, by what they say of it, in the languages that the rules can read.

A star stands for any ending, an underscore for a space. Case and accents do not matter. Words of
scripts that are written without spaces are found anywhere. Verbs are given as they order.
"""

from __future__ import annotations

import re

from reviewdeck.policy.reading import fold

_ANYWHERE_FROM = 0x590
"""Scripts from here on are looked for without the edges of words."""


def either(terms: str) -> str:
    """A pattern that finds any of these terms in a folded text."""
    spaced: list[str] = []
    unspaced: list[str] = []
    for term in fold(terms)[0].split():
        written = re.escape(term).replace("_", r"\s+").replace(r"\*", r"\w*")
        (unspaced if ord(max(term)) >= _ANYWHERE_FROM else spaced).append(written)
    parts = [rf"(?<!\w)(?:{'|'.join(spaced)})(?!\w)"] if spaced else []
    return "|".join([*parts, *unspaced])


DROP = """
    ignore disregard forget override bypass abandon discard set_aside stop_following stop_obeying
    do_not_follow don't_follow pay_no_attention overrule neglect vergiss vergesst ignoriere
    ignoriert ignorier missachte ignorez oublie oubliez ne_tiens_pas_compte ignora olvida olvidate
    desobedece descarta esqueca esquece desconsidere desconsidera dimentica dimenticati trascura
    scorda negeer vergeet zignoruj ignoruj zapomnij игнорируй игнорируйте проигнорируй забудь
    забудьте отбрось yok_say yoksay unut gormezden_gel goz_ardi_et تجاهل انس
    無視 忘れて 忘れろ 忽略 无视 忘记 忘掉 무시 잊어
    ignorera strunta glom bortse_fran ignorer glem se_bort_fra unohda sivuuta ohita
    jata_huomiotta hagyd_figyelmen_kivul felejtsd_el zapomen zabudni uita ігноруй забудь αγνοησε
    ξεχασε bo_qua abaikan lupakan"""
ORDERS = """
    safety_preferences
    instruction* rule rules guideline* directive* polic* prompt prompts restriction* safeguard*
    guardrail* programming constraint* told orders guidance anweisung* regeln vorgaben richtlinie*
    instruktion* befehle consigne* regles reglas instruccion* directrices normas ordenes instruco*
    regras diretrizes istruzion* regole direttive instructies regels richtlijnen opdrachten
    instrukcj* polece* zasad* regul* инструкц* указани* правил* распоряжени* talimat* kural*
    yonerge* تعليمات قواعد أوامر 指示 ルール 命令 規則 プロンプト 指令 规则 提示词 지시 규칙 명령
    지침
    reglerna anvisning* instruktioner* riktlinj* reglene retningslinj* instruks* ohje* saannot
    saantoja maaray* utasitas* szabaly* pokyn* pravidl* instructiuni* reguli* інструкц* правил*
    οδηγι* κανον* εντολ* huong_dan quy_tac aturan perintah instruksi*"""
FORMER = """
    system* del_sistema
    your previous prior earlier former preceding above safety system developer* you_were
    were_told deine deiner bisherige* vorherige* fruhere* vorige* eure tes vos precedent*
    anterieur* tus anterior* previa* sistema tuas suas tue precedenti jouw je eerdere vorige
    voorgaande swoje swoich twoje poprzedni* wczesniejsz* dotychczas* свои твои ваши прежни*
    предыдущ* onceki السابقة سابقة これまで 以前 あなたの 之前 先前 此前 你的 您的 이전 기존 당신
    tidigare foregaende dina tidligere forrige dine aiemmat aiempi* edelliset edellisia omat
    korabbi elozo* eddigi predchozi dosavadni predosle predchadzajuce anterioare precedente
    попередн* твої προηγουμεν* truoc sebelumnya"""
VOID = """
    cancelled revoked deprecated
    no_longer_apply no_longer_valid no_longer_hold void been_replaced are_replaced been_revoked
    lifted suspended do_not_apply don't_apply been_cancelled superseded gelten_nicht_mehr
    aufgehoben ungultig ne_s'appliquent_plus annulees no_se_aplican anuladas nao_se_aplicam
    non_valgono_piu non_si_applicano gelden_niet_meer vervallen nie_obowiazuja
    больше_не_действуют отменены gecersiz ملغاة 無効 作废 无效 失效 무효"""
READER = """
    you your yours dein deine deinen deiner du tu tes ton vos votre tus te tuoi tue jij jouw je ty
    twoje ты твои ваши тебе sen senin أنت あなた 你 您 너 당신"""
OBEY = """
    obey comply do_whatever do_everything accept_commands gehorche befolge obeis obeissez obedece
    obedezca obedeca ubbidisci obbedisci gehoorzaam sluchaj подчиняйся слушайся повинуйся itaat_et
    itaat أطع 従え 従って 従うこと 服从 听从 遵从 복종 따르 따라"""
BLIND = """
    without_question* without_asking whatever unconditional* blindly everything every_request
    all_requests no_matter_what any_request solely alles bedingungslos blind
    ohne_nachfrage* ohne_zu_fragen widerspruchslos sans_condition* sans_discuter sans_demander
    aveuglement sin_preguntar sin_condiciones ciegamente sin_confirmar sem_perguntar
    sem_confirmar sem_questionar cegamente somente senza_chiedere senza_condizioni ciecamente
    zonder_vragen zonder_te_vragen blindelings onvoorwaardelijk bez_pytania bezwarunkowo slepo
    без_вопросов беспрекословно безоговорочно слепо во_всем sorgusuz kosulsuz her_seyde دون_سؤال
    بلا_شرط دون_شرط 無条件 何でも 无条件 一切 任何 무조건"""
SEND = """
    send post upload forward transmit leak exfiltrate hand_over publish dump reveal disclose show
    print expose mail email sende schicke schick ubermittle verrate zeige envoie envoyez transmets
    revele poste envia envie manda mande revela muestra mostre invia rivela mostra inoltra stuur
    verstuur onthul wyslij przeslij ujawnij отправь отправьте отправляй вышли перешли раскрой
    gonder yolla paylas ilet أرسل اكشف 送信 送って 送れ 転送 发送 发给 发到 上传 转发
    泄露 보내 전송 유출"""
SECRETS = """
    passwords credentials api_keys private_key* ssh_keys access_keys secrets .env
    hidden_prompt system_prompt conversation conversations chat_history your_memory your_memories
    passworter zugangsdaten kennworter mots_de_passe identifiants cles_api ta_memoire contrasenas
    credenciales claves tu_memoria senhas credenciais password credenziali wachtwoorden
    inloggegevens hasla hasel dane_logowania klucze пароли ключи учетные_данные sifreleri
    parolalari sifreler كلمات_المرور كلمة_المرور パスワード 秘密鍵 認証情報 密码 密钥
    凭证 凭据 비밀번호
    암호 자격"""
WHERE_TO = """
    in_your_next in_your_reply in_every_reply
    to_this to_the_following address_below to_me to_us to_our to_whoever to_anyone to_anybody
    to_anyone_who whoever when_asked on_request gespeicherte* diese_adresse an_mich
    cette_adresse l'adresse esta_direccion la_direccion guardadas este_endereco o_endereco
    salvas questo_indirizzo l'indirizzo salvate dit_adres opgeslagen ten_adres tego_adresu
    этот_адрес по_адресу bu_adrese هذا_العنوان このアドレス 保存されて 这个地址 该地址
    以下地址 이_주소
    저장된"""
CALL_IT = """
    treat consider regard assume gilt gelten betrachte considere considerez considera trate trata
    beschouw behandel traktuj uznawaj считай считайте say sayin اعتبر みなせ みなして 見なし 扱え
    视为 当作 간주 여겨"""
EACH = """
    cualquier qualquer qualsiasi qualunque n'importe_quelle dowoln* любую
    every each all any everything jede jeder jedes alle toute toutes chaque todas toda cada todos
    tutte ogni elk elke alle kazd* wszystkie все каждый любой tum her جميع كل すべて 全て 所有 一切
    任何 모든"""
REQUEST = """
    request requests change changes action actions command commands proposal* everything anfrage*
    demande demandes solicitud* peticion* pedido* solicitac* richiest* verzoek* zadani* prosb*
    wnios* запрос* просьб* istek* talep* الطلبات طلب リクエスト 要求 依頼 请求 요청"""
GRANTED = """
    approved authorised authorized preapproved pre-approved confirmed permitted granted allowed
    genehmigt freigegeben bestatigt approuvee* autorisee* validee* aprobad* autorizad* aprovad*
    approvat* autorizzat* goedgekeurd zatwierdzon* одобрен* разрешен* onaylanmis onayli موافق
    معتمدة 承認済 許可済 批准 授权 승인"""
GRANT = """
    approve accept confirm allow genehmige bestatige approuve accepte aprueba aprove approva
    keur_goed goedkeuren zatwierdzaj zatwierdz одобряй onayla وافق 承認し 批准 승인하"""
UNASKED = """
    without_asking without_review without_confirm* blindly ohne_nachfrage* ohne_zu_fragen
    ohne_ruckfrage sans_demander sin_preguntar sem_perguntar senza_chiedere zonder_te_vragen
    bez_pytania не_спрашивая без_вопросов sormadan دون_سؤال 確認なし 確認せず 无需确认
    不用问 묻지"""
SWITCH_OFF = """
    turn_off disable skip switch_off deactivate bypass remove stop ignore deaktiviere uberspringe
    desactive desactiva desative disattiva schakel sla_over wylacz отключи kapat عطل
    無効に 禁用 跳过"""
REVIEWING = """
    review approval approvals confirmation confirmations consent logging audit safety_check*
    prufung freigabe bestatigung validation revision aprobacion revisao aprovacao revisione
    approvazione controle goedkeuring przeglad zatwierdzanie проверку подтверждение inceleme onay
    المراجعة レビュー 確認 审批 审核 검토"""
CONTENT = """
    e-mail email mails comments
    web_page* webpage* page pages readme* html_comments tool_output* attachment* attachments pdfs
    e-mails emails alt_text issue_tracker documents pieces_jointes anhange adjuntos anexos allegati
    bijlagen zalacznik* вложени* webページ ウェブページ 网页 附件 첨부"""
AS_ORDERS = """
    as_if_the_owner as_if_the_user as_though_the_owner as_though_the_user
    as_commands as_orders as_instructions as_a_command as_the_user as_coming_from_the_user
    from_your_owner as_owner_commands as_user_instructions as_user_commands user's_orders
    命令として 当作命令"""
OUTRANKS = """
    outrank* overrule* take_precedence in_preference_to priment haben_vorrang prevalecen prevalecem
    prevalgono gaan_voor maja_pierwszenstwo важнее"""
MAN = """
    владел* eigentumer* propriet* dueno dono wlasciciel* sahib* المالك 持ち主 主人 소유자
    user users human humans operator owner nutzer* benutzer* anwender* utilisateur* usuari* utente
    utenti utilizador* gebruiker* uzytkownik* пользовател* kullanici* المستخدم ユーザ 利用者 用户
    사용자
    anvandare* bruger* bruker* kayttaja* felhasznalo* uzivatel* utilizator* користувач*
    χρηστη* pengguna nguoi_dung"""
TELL = """
    tell inform mention notify disclose sage sag erzahle verrate dis dites dire digas cuentes
    menciones informes avises reveles diga conte mencione informe avise dirlo dica raccontare
    menzionare vertel zeg meld mow powiedz wspominaj informuj говори рассказывай сообщай упоминай
    تخبر 告诉 告知 透露
    beratta berat namn fortell fortel nevn kerro mainitse mondd emlitsd rekni zminuj spune
    mentiona кажи повідомляй πες beritahu"""
NOT = """
    not don't never nicht nichts nie niemals ne jamais pas rien no nunca nao non mai niet niets
    nooit nigdy не никогда لا 不要 别 不得 请勿 勿
    inte aldrig ikke aldri ala alka soha nikdy nerikej nezminuj nu niciodata ніколи μην
    jangan tidak"""
CONCEAL = """
    hide conceal withhold verschweige verheimliche verbirg cache dissimule oculta ocultale esconde
    oculte esconda nascondi verberg verzwijg ukryj ukrywaj zataj скрой скрывай утаи gizle sakla
    أخف 隐瞒 瞒着 隠せ 隠して 隠す 秘密に 숨겨 숨기"""
UNTOLD = """
    soyleme anlatma bahsetme bildirme soylemeyin 言わないで 言うな 伝えるな 伝えないで 知らせるな
    知らせないで 알리지 말하지"""
ERASE = """
    delete erase wipe discard overwrite losche supprime borra apaga apague cancella verwijder usun
    удали sil احذف 削除 删除 삭제"""
MEMORIES = """
    other_memories memory_entries all_memories other_entries prior_memories user_profile
    user's_memories"""
"""What the agent remembers beside this text."""
VERBS_ANYWHERE = 0x590
"""In scripts from here on an order does not begin where a sentence does."""
TURKISH = frozenset(
    {"yok say", "yoksay", "unut", "gormezden gel", "goz ardi et", "gonder", "yolla", "paylas"}
    | {"ilet", "say", "sayin", "itaat et", "itaat", "onayla", "gizle", "sakla", "kapat", "sil"}
)
"""Verbs that stand last where they order."""
