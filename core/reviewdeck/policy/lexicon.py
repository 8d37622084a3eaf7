"""The words by which the rules recognise what a text is about, in the languages they can read.

A star stands for any ending, an underscore for a space. Case and accents do not matter. Words of
scripts that are written without spaces are found anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping

from reviewdeck.policy.concepts import Concept

LEXICON: Mapping[Concept, str] = {
    Concept.OVERRIDE: """
        ignore ignores ignoring ignored disregard* overrid* overrule* bypass* forget do_not_follow
        don't_follow stop_following no_longer_follow pay_no_attention supersede* neglect
        vergiss vergesst ignorier* missachte* ubergeh* ignorez oublie* ignora ignorar ignoren
        olvida* omite dimentica* esqueca* desconsidere* negeer* vergeet zignoruj* zapomnij*
        ignorera* glom gormezden_gel yok_say abaikan lupakan bo_qua игнорир* проигнорир*
        забудь* ігнор* αγνοησ* 忽略 无视 無視 忘记 忘記 忘掉 不要理会 忘れ 무시 잊어 تجاهل انس
        نادیده فراموش התעלם अनदेखा नज़रअंदाज़ भूल_ เพิกเฉย ละเว้น නොසලකා""",
    Concept.INSTRUCTIONS: """
        instruction* prompt prompts directive* guardrail* programming anweisung* instruktion*
        instruccion* consigne* istruzion* instruc* instructie* instrukcj* polecen* talimat*
        instruksi инструкц* указани* інструкц* вказівк* οδηγι* 指令 指示 提示词 提示詞 プロンプト
        지시 지침 프롬프트 تعليمات دستور निर्देश הוראות คำสั่ง උපදෙස්""",
    Concept.RULES: """
        rule rules guideline* restriction* safeguard* limitation* regeln regle regles reglas
        regole regras zasady правил* 规则 規則 ルール 규칙 قواعد नियम""",
    Concept.PRIOR: """
        previous* prior above earlier preceding all any every your former existing other foregoing
        vorherig* bisherig* alle allen obig* precedent* tout toutes anterior* todas todos tutte
        vorige eerdere poprzedn* wszystkie onceki butun tum sebelumnya предыдущ* все всі попередн*
        προηγουμεν* ολες 之前 以前 上面 所有 一切 先前 これまで すべて 全て 이전 모든 السابقة جميع
        قبلی همه पिछले सभी הקודמות ก่อนหน้า ทั้งหมด පෙර සියලු""",
    Concept.AGENT: """
        agent agents assistant assistants ai bot llm language_model chatbot hermes claude chatgpt
        copilot gpt gemini subagent* ki assistent* asistente* assistente* ассистент* агент*
        助手 助理 智能体 アシスタント エージェント
        에이전트 어시스턴트 المساعد الوكيل دستیار सहायक""",
    Concept.YOU: """
        you your yours yourself you're you'll ya'll thou dein deine deinen deiner vous votre vos
        usted ustedes tu_dois tu_debes voce voces ты тебя тебе вам ваш* твой твои вы
        你 您 あなた 당신 너는 أنت तुम आप_""",
    Concept.STANDING: """
        from_now_on from_here_on from_this_point henceforth hereafter going_forward moving_forward
        at_all_times in_future in_all_future in_every_future future_sessions future_conversations
        every_session each_session all_sessions new_rule new_policy new_directive
        effective_immediately
        as_of_now until_further_notice standing_order standing_instruction no_matter_what
        without_exception ab_jetzt ab_sofort kunftig zukunftig von_nun_an a_partir_de_maintenant
        desormais dorenavant a_partir_de_ahora en_adelante de_ahora_en d'ora_in_poi
        a_partir_de_agora vanaf_nu od_teraz bundan_sonra bundan_boyle mulai_sekarang
        отныне с_этого_момента впредь відтепер 从现在 从今 今后 以后 務必 务必 必须 今後 これから
        必ず 以降は 지금부터 앞으로 반드시 من_الآن از_این_پس از_حالا अब_से מעתה จากนี้""",
    Concept.MODAL: """
        must shall should always never ought mandatory obligated obliged required have_to has_to
        make_sure ensure do_not don't needs_to need_to may_not cannot immer nie niemals muss
        mussen
        sollst sollen stets toujours jamais doit devez siempre debe debes deben sempre mai deve
        devi nunca altijd nooit moet zawsze nigdy musi musisz всегда никогда должен должна
        должны обязательно завжди ніколи παντα ποτε πρεπει her_zaman daima asla selalu jangan
        总是 始终 永远 一定要 不要 不得 常に 絶対 決して なければならない 항상 절대 دائما يجب
        همیشه باید هرگز हमेशा कभी चाहिए תמיד לעולם חייב เสมอ ต้อง ห้าม සැමවිටම කිසිවිටෙකත්""",
    Concept.RISK: """
        send sends sending forward forwards forwarding upload* transmit* email emails delet*
        wipe* erase* execut* download* disabl* deactivat* skip skips skipping bypass* expose
        exposes reveal* leak leaks exfiltrat* grant* escalat* pay pays purchas* overwrit* revoke*
        turn_off turns_off switch_off omit* hide hides conceal* suppress* impersonat* obey*
        comply complies submit* disclose* curl wget transfer* reveal* unlock* force forces""",
    Concept.ORDERED: """
        direkt sofort automatisch ungefragt directement automatiquement directamente
        automaticamente direttamente diretamente напрямую автоматически сразу 直接 自动 自動的に
        바로 مباشرة
        sende senden schicke* losch* weiterleit* installier* deaktivier* uberspring* envoye*
        envoyer supprim* desactiv* envia enviar envie borra borrar elimina* ejecuta* instala
        instalar desactiva* invia inviare esegui disattiva* apague desative* stuur verwijder*
        wyslij* usun wykonaj zainstaluj отправ* удал* выполн* установи* отключ* перешл*
        надсил* видал* διαγραψ* εκτελεσ* στειλ* gonder* onayla* kirim hapus
        发送 发给 转发 上传 删除 执行 下载 禁用 关闭 跳过 泄露 支付 转账 汇款
        送信 転送 アップロード 削除 無効 スキップ 漏ら 振り込 보내 전송 업로드 삭제 비활성 건너뛰
        أرسل احذف نفذ عطل ارسال_کن حذف_کن भेज हटा_ שלח מחק ส่ง ลบ""",
    Concept.APPROVAL: """
        approv* preapprov* unapproved authorise* authorize* authorising authorizing preauthori*
        consent* permission permissions permit permits permitted granted privileg* clearance
        whitelist* allowlist* trust trusts trusted trusting trustworthy entrust* exempt* vouch*
        vetted sign_off signed_off signoff green_light greenlit on_behalf without_asking
        without_being_asked without_confirm* without_confirmation without_confirming
        without_prompting without_permission without_question without_further without_supervision
        without_notifying without_telling without_oversight without_human no_need_to_ask
        not_need_to_ask needn't_ask don't_ask do_not_ask doesn't_need_to_be_asked never_ask
        no_questions no_confirmation no_approval safe_to_run safe_to_apply safe_to_delete
        safe_to_ignore safe_to_skip safe_to_execute carte_blanche full_access full_control
        unrestricted unlimited_access blanket_permission autonomous* autonomy autopilot yolo
        unattended auto_merge auto_accept auto_apply auto_confirm always_accept always_allow
        genehmig* freigegeben freigabe* vertrau* erlaubnis erlaubt zustimm* ohne_nachfrage
        ohne_ruckfrage ohne_zu_fragen approuv* autorise* sans_demander sans_confirmation confiance
        aprob* aprueb* autoriza* sin_preguntar sin_confirmar sin_confirmacion confianza confia*
        approva* autorizza* senza_chiedere senza_conferma fiducia aprova* sem_perguntar
        sem_confirmar
        goedkeur* goedgekeurd toestemming vertrouw* zonder_te_vragen zatwierdz* zgoda zgody
        bez_pytania zaufan* одобр* разреш* довер* без_подтверждения без_спроса не_спрашивая
        схвал* дозвол* εγκρι* αδεια εμπιστ* onayla* izin guven guvenilir persetujuan izinkan
        批准 审批 授权 同意 信任 核准 无需询问 无需确认 不用问 不必问 直接执行 承認 許可 信頼 同意
        確認なし 確認せず 聞かずに 승인 허가 허락 허용 신뢰 묻지 확인_없이 موافقة وافق إذن ثقة موثوق
        تایید تأیید اجازه اعتماد अनुमति स्वीकृति मंज़ूरी भरोसा बिना_पूछे אישור הרשאה אמון
        อนุมัติ อนุญาต เชื่อถือ අනුමැතිය අනුමත""",
    Concept.REMEMBERING: """
        remember memorize memorise memorized this_entry this_memory this_note your_memory
        your_memories memory_entry memory_entries memory_file memory_files memory_store
        long_term_memory save_this store_this persist_this keep_this copy_this repeat_this
        restore_this system_prompt system_message context_window self_improvement skill_manage
        skill_view memory_tool user_md memory_md soul_md agents_md claude_md merk_dir merke_dir
        souviens_toi retiens recuerda recordar ricorda ricordati lembre* onthoud zapamietaj
        запомни запам'ятай hatirla ingatlah 记住 記住 记下 覚えて 覚えろ 記憶し 기억해 기억하
        تذكر به_یاد याद_रख זכור จำไว้""",
    Concept.WEAKEN: """
        skip skips skipped skipping bypass* disabl* turned_off turn_off turns_off turning_off
        switched_off switch_off deactivat* without no not needn't needless unnecessary optional
        ignore ignores ignored ignoring suppress* weaken* lower lowers relax* waive* avoid*
        remove*
        unneeded drop drops allow* accept* comment_out off
        uberspring* deaktivier* ohne kein keine sans sin senza sem zonder bez без отключ*
        跳过 禁用 关闭 不需要 无需 不用 スキップ 無効 不要 건너뛰 비활성 بدون تعطيل غیرفعال""",
    Concept.GUARD: """
        review reviews reviewed check checks checksum checksums verification verify verifying
        verified validation signature signatures signing tls ssl https certificate certificates
        cert certs 2fa mfa two_factor multi_factor captcha authentication firewall sandbox*
        antivirus scanner scanners scan scanning guardrail* safeguard* confirmation confirm
        confirming audit audits auditing backup backups encryption encrypted security warning
        warnings alert alerts hook hooks sanitiz* sanitis* escaping csrf cors rate_limit*
        prufung* uberprufung* bestatigung zertifikat* sicherheit verifica* verificacion seguridad
        securite verification проверк* безопасност* 审查 检查 验证 校验 安全 防火墙 証明書 検証
        確認 レビュー 검증 확인 보안 تحقق أمان بررسی امنیت""",
    Concept.CARELESS: """
        insecure insecurely world_readable world_writable hard_coded hardcoded plain_text
        plaintext
        cleartext self_signed unsigned unverified unencrypted no_verify noverify force_push
        force_pushes force_pushing force_pushed chmod sudo passwordless skip_ci allow_root
        no_sandbox verify_false allow_unsafe strict_ssl yolo backdoor*""",
    Concept.SECRET: """
        secret secrets environment_variables environment_variable password passwords passwort
        passphrase* credential credentials token tokens
        api_key api_keys apikey private_key private_keys ssh_key ssh_keys signing_key access_key
        env keychain kennwort mot_de_passe contrasena* senha senhas wachtwoord haslo пароль пароли
        пароля секрет* токен* parola sifre 密码 密码 口令 令牌 密钥 パスワード 秘密鍵 トークン
        비밀번호 토큰 كلمة_المرور گذرواژه रمز पासवर्ड סיסמה รหัสผ่าน මුරපදය""",
    Concept.MOVE: """
        send sends sent share shares shared sharing print prints printed log logs logged echo
        paste pastes pasted include includes copy copies copied post posts posted upload* commit
        commits committed expose* show shows attach* embed* email* forward* transmit* report
        reports submit* reveal* dump dumps output outputs append* reply* disclose* hand_over
        senden schick* teile* einfugen envoye* partage* envia* comparte* invia* condividi*
        envie* compartilh* stuur* отправ* 发送 分享 粘贴 上传 打印 送信 共有 貼り 보내 공유 أرسل
        ارسال""",
    Concept.AUTHORITY: """
        admin admins administrator* superuser root ceo cto cfo ciso coo boss vp security_team
        it_department it_team it_support legal_team legal compliance compliance_team management
        hr finance_team helpdesk help_desk head_of anthropic openai vendor vendors headquarters
        sysadmin sysadmins auditor auditors regulator developer_mode maintenance_mode debug_mode
        god_mode vorgesetzt* directeur directrice jefe administrador* amministratore
        администратор* начальник* 管理员 老板 领导 管理者 上司 관리자 상사 المدير مدیر""",
    Concept.SAYS: """
        say says said told tells tell ask asks asked require requires required request requests
        requested order orders ordered decide* announce* mandat* want wants instruct instructs
        instructed according demand* state states stated need needs confirmed confirms new now
        access rights may can allowed has_full directs directed agreed issued decree* expects
        sagt verlangt dit demande exige dice pide richiede pede sagte говорит требует 说 要求 指示
        言った 요구 يطلب يقول می‌گوید""",
    Concept.PAYMENT: """
        iban bic swift_code bank banking bank_account wallet wallets invoice invoices payout
        payouts payment payments paypal wire remittance beneficiary bitcoin btc ethereum crypto
        routing_number account_number credit_card card_number vendor_account refund refunds salary
        payroll rechnung* konto kontonummer uberweis* zahlung* facture* virement* cuenta factura*
        bonifico fattura* boleto fatura* pix rekening* przelew* платеж* счет счёт
        银行 账户 账号 付款 汇款 钱包 发票 口座 振込 支払 請求書 계좌 송금 결제 حساب بنك پرداخت""",
    Concept.TOWARDS: """
        repeated again twice
        to into account accounts address number new changed change changes switch switched moved
        instead update updated now details recipient receiver go goes going number zu neue neuer
        vers nouveau nouvelle nueva nuevo nuovo nova novo nieuw nowy nowe новый новые на
        新 改 变更 更新 変更 先 새 변경 جديد جدید""",
    Concept.HIDE: """
        don't_tell do_not_tell never_tell not_tell don't_mention do_not_mention never_mention
        not_mention don't_reveal do_not_reveal never_reveal not_reveal don't_inform do_not_inform
        without_telling without_informing without_notifying without_mentioning hide_this hide_from
        keep_secret keep_this_secret keep_it_secret keep_hidden conceal_from withhold_from
        silently
        quietly covertly secretly stealth* behind_the_scenes unnoticed sag_dem_nicht heimlich
        ne_dis_pas no_le_digas en_secreto non_dire nao_conte тайно не_говори скрытно незаметно
        不要告诉 别告诉 悄悄 偷偷 秘密に 内緒 知らせず
        말하지 몰래 لا_تخبر سرا نگو मत_बता_ אל_תספר""",
    Concept.PERSON: """
        user users human humans operator operators owner owners them him her anyone anybody
        nutzer* benutzer* utilisateur* usuario* utente usuari* gebruiker* uzytkownik*
        пользовател* користувач* 用户 使用者 ユーザ 사용자 المستخدم کاربر उपयोगकर्ता המשתמש""",
    Concept.EACH: """
        every each all any whenever jede jeder jedes jeden alle chaque toutes cada todas todos
        ogni
        elke kazd* каждый каждое каждую каждом все 每次 每个 所有 毎回 すべて 모든 매번 كل هر
        हर""",
    Concept.OUTPUT: """
        reply replies answer answers response responses message messages email emails output
        outputs conversation conversations chat chats summary summaries antwort antworten reponse*
        respuesta* risposta risposte resposta* antwoord* odpowied* ответ ответе ответы 回复 回答
        回覆 返信 応答 답변 응답 رد پاسخ उत्तर""",
    Concept.DESTROY: """
        remov* replac* supersed* outdated reset resets
        delet* wipe* erase* purge* truncate* destroy* drop_table
        drop_tables drop_database dropdb rm rmdir shred* unlink* mkfs format_disk losche*
        supprim* borra* elimina* cancella* apaga* verwijder* usun* удал* 删除 清空 削除 삭제
        احذف حذف मिटा""",
    Concept.SHIP: """
        push pushes pushed pushing commit commits committed deploy deploys deployed deploying
        merge
        merges merged merging ship ships shipped release releases publish* promote*""",
    Concept.LIVE: """
        main master production prod straight_to directly_to trunk""",
    Concept.OFFENSIVE: """
        backdoor* keylog* keystroke* exfil* reverse_shell bind_shell rootkit* ransomware malware
        trojan* botnet* c2 command_and_control cobalt_strike metasploit meterpreter mimikatz
        brainworm sliver havoc mythic beacon beacons beaconing jailbreak* dan_mode
        tracking_pixel steganograph* cryptominer* xmrig netcat ncat ngrok
        base64 rot13 eval""",
    Concept.STEER: """
        caveat* disclaim*
        recommend* endors* promot* advertis* favour favours favor favors persuad* convince*
        upsell*
        praise praises sponsor* mention mentions suggest suggests suggesting best_choice
        superior trustworthy empfiehl* empfehl* recomiend* recommand* consiglia* рекоменд*
        推荐 おすすめ 勧め 추천""",
    Concept.FAILURE: """
        broken does_not_work doesn't_work do_not_work don't_work did_not_work didn't_work
        not_working isn't_working won't_work never_works cannot_be_used can't_be_used unusable
        unavailable not_available is_down was_down are_down crash crashes crashed crashing
        timed_out
        times_out command_not_found not_installed isn't_installed permission_denied
        access_denied connection_refused cannot_connect can't_connect could_not_connect unable_to
        failed failing unreachable segfault segfaults hangs hung out_of_order defekt kaputt
        funktioniert_nicht funktionieren_nicht geht_nicht ne_fonctionne_pas ne_marche_pas
        no_funciona
        ne_marche_jamais marche_plus virker_ikke fungerer_ikke fungerar_inte ei_toimi nem_mukodik
        nefunguje nu_functioneaza no_sirve er_nede var_nede 使えない 切れている
        no_funcionan non_funziona nao_funciona werkt_niet nie_dziala не_работает не_працює
        calismiyor
        不工作 不能用 无法使用 不可用 失败 坏了 動かない 動作しない 壊れ 失敗 작동하지 고장 실패
        لا_يعمل لا_تعمل کار_نمی काम_नहीं לא_עובד ใช้ไม่ได้""",
    Concept.MOMENT: """
        today yesterday tonight just_now this_morning this_afternoon this_evening last_night
        last_week this_session this_conversation earlier_session in_this_chat this_task
        right_now for_now currently_working we_fixed i_fixed fixed_the_bug fixed_a_bug fixed_bug
        we_debugged was_debugging we_discussed i_ran i_tried was_asked tomorrow
        heute gestern aujourd'hui hier_soir hoy ayer oggi ieri hoje ontem vandaag gisteren dzisiaj
        wczoraj сегодня вчера сьогодні 今天 昨天 刚才 今日 昨日 先ほど 오늘 어제 اليوم أمس امروز
        دیروز आज_ היום_ วันนี้""",
    Concept.TRIGGER: """
        when_the_user when_a_user when_user when_asked when_someone when_anyone if_the_user
        if_a_user if_user if_asked if_someone if_anyone if_anybody as_soon_as whenever every_time
        each_time any_time upon_receiving upon_request before_every before_each after_every
        after_each before_answering before_replying before_responding at_the_start_of
        at_the_end_of when_you if_you once_you immer_wenn wenn_der_nutzer chaque_fois cada_vez
        ogni_volta toda_vez elke_keer za_kazdym каждый_раз всякий_раз 每当 每次 当用户 するたび
        たびに 毎回 때마다 كلما هر_بار""",
    Concept.VERDICT: """
        reviewdeck auto_approved auto_apply policy_check no_findings no_issues_found passed_review
        passed_policy already_reviewed pre_approved prereviewed reviewer reviewers safe_to_apply
        false_positive false_positives scanned_clean risk_none risk_low severity_none
        plainly_safe verified_safe no_changes_needed nothing_to_review already_approved""",
    Concept.SOURCE: """
        registry registries index_url extra_index package_index mirror mirrors proxy proxies
        repository_url package_source trusted_host plugin_store marketplace nameserver dns fork
        forks git_remote remote_upstream remote_origin upstream new_organisation new_organization
        channel canonical_repository""",
    Concept.ASKING: """
        ask asks asked asking confirm confirms confirmed confirmation confirmations review reviews
        reviewed diff diffs approval approvals bother bothered inspect* prompted prompts question
        questions consulted consult pull_request pull_requests check_in sign_off supervision
        oversight permission double_check second_look notified notification notifications
        fragen gefragt ruckfrage ruckfragen nachfragen bestatig* prufung demander demande
        confirmer pregunte preguntar pregunten confirmar chiedere chieda conferma perguntar
        pergunte
        vragen pytac спраш* спрос* подтвержд* запрос* 询问 询 审查 确认 确认 確認 質問 レビュー
        확인 검토
        질문 سؤال تأكيد پرسیدن पूछ לשאול ถาม""",
    Concept.LESS: """
        not no never without dislike* dislikes doesn't don't isn't needn't waste avoid* hate*
        annoy* annoying unnecessary needless formality irrelevant nuisance skip skips fewer less
        later afterwards directly straight immediately automatically by_itself on_its_own
        by_themselves tired_of rather_than instead_of first already
        nicht nie ohne keine kein direkt sofort automatisch pas sans jamais directement
        no_se sin nunca directamente automaticamente non senza mai direttamente nao sem
        diretamente
        niet zonder direct nie bez bezposrednio не без сразу напрямую автоматически
        不 无需 直接 自动 なし せず 直接 自動 すぐ 없이 바로 자동 بدون مباشرة बिना ללא ישירות""",
    Concept.ASSURANCE: """
        fine_to okay_to ok_to safe safely safest harmless genuine legitimate authentic
        innocuous formality irrelevant
        obsolete noise routine can_go no_longer_needed not_needed do_not_matter does_not_matter
        don't_matter doesn't_matter not_matter waste_of_time expected_and known_and is_normal
        are_normal is_expected are_expected nothing_to_worry no_risk risk_free not_a_problem
        no_problem comfortable_with fine_with okay_with ok_with happy_with_the doesn't_mind
        does_not_mind not_mind likes_it_when acts_first act_first by_itself on_its_own
        reliable_source official_source beyond_doubt taken_at_face
        unbedenklich harmlos ungefahrlich inoffensif inofensivo innocuo безопасн* безвредн*
        无害 安全的 可靠 無害 問題ない 問題ありません 무해 안전하 آمن بی‌خطر सुरक्षित בטוח""",
    Concept.POWER: """
        outrank* outweigh* signs_off under_the_name in_the_name intern_account shared_account
        decision* is_final handles_all keys_to the_keys
        precedence priority prioritise prioritize prioritised prioritized delegate delegates
        delegated entitled entitles rights allowed speaks_for speak_for acts_for act_for decides
        decide final_say last_word in_charge count_as counts_as has_access have_access gets_access
        get_access total_access same_rights empowered deputy proxy_for represents vip overrule*
        outranks superuser full_rights vollzugriff acces_total
        acceso_total acesso_total accesso_completo полный_доступ administrador* administrateur*
        amministratore администратор* 完全访问 全部权限 管理员 管理者
        フルアクセス 관리자 권한 صلاحيات
        مدير مدیر دسترسی_کامل अधिकार""",
    Concept.CAUSE: """
        are_commands are_orders is_a_command is_an_order
        instruction* directive* carried_out carry_out carries_out further_steps next_steps
        take_effect takes_effect be_followed are_followed is_followed be_executed are_executed
        be_obeyed are_obeyed acted_on acted_upon act_on codeword code_word codewords magic_word
        secret_word safe_word trigger_word passphrase keyword_unlocks the_word the_phrase
        password_is
        todo_agent anweisung* instruccion* consigne* istruzion* instruco* инструкц* 指令 指示
        合言葉 暗号
        지시 암호 تعليمات دستور निर्देश""",
    Concept.SECURITY: """
        password* passwort* passphrase* contrasena* senha senhas mot_de_passe
        mots_de_passe wachtwoord* haslo hasla парол* salasana* sifre* 密码 密碼 口令 パスワード
        비밀번호 كلمة_مرور كلمة_المرور گذرواژه رمز_عبور पासवर्ड סיסמ รหัสผ่าน credential* secret
        secrets token tokens api_key api_keys
        rotate* private_key private_keys gpg pgp ssh host_key host_keys signing_key certificate*
        mfa 2fa otp totp cors jwt jwts hashing hashed hash_algorithm md5 sha1 signature signatures
        virus antivirus firewall security auth authentication authorization input_validation
        sanitis* sanitiz* injection injections vulnerabilit* csrf xss encryption encrypt*
        encrypted login logins sso saml ldap sql_queries session_cookie cookies license_check
        licence_check access_control sandbox* vpn""",
    Concept.GOOD_PRACTICE: """
        argon2 argon2id bcrypt scrypt vault pkce oauth oauth2 oidc rotate rotates rotated rotation
        encrypted hashed signed expire expires expired renewed 1password bitwarden keychain
        sanitised
        sanitized parameterised parameterized prepared csp captcha required mandatory tls audited
        cosign sops kms hsm mtls yubikey fido2 webauthn passkeys topic teaches course blog
        research contest contests capture learns studies book talk newsletter threat_model sealed
        scanned aes least_privilege keycloak okta auth0 cognito es256 ed25519 secret_manager
        secrets_manager implemented defined managed rejects expires secure
        httponly sops lexer bucket algorithm limiting defences sigma supabase
        row_level_security environment_variables haches gehasht хеширу* 哈希
        ハッシュ 해시 test tests page middleware service module handled lives library""",
    Concept.WEAK: """
        published slack
        md5 sha1 des rc4 ecb http public publicly everyone anyone anybody everybody open
        all_origins
        wildcard chat wiki plain concatenation concatenat* client_only on_the_client default
        expected
        normal shared read_out known hardcoded not no isn't aren't don't doesn't cannot complain*
        irrelevant disabled off none skip*""",
    Concept.PRIVATE: """
        internal
        customer_data customer_export customer_exports customer_records customer customers export
        exports secrets personal payroll credentials backups environment_variables passwords
        salaries
        contracts private patient patients""",
    Concept.OPINION: """
        election* politic* vote votes voting corrupt* president minister conspiracy
        hoax the_best the_worst security_holes superior inferior scam fraud losses""",
    Concept.CITE: """
        cite cites cited citing include includes including contain contains link links mention
        mentions append* begin begins carry carries advertis* quote quotes""",
}
