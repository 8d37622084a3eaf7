"""The words that rules look for, by what they say.

A star stands for any ending, an underscore for the space in a phrase; case and accents do not
matter. English and German are meant to be whole; other languages have the words of a takeover only.
"""

from __future__ import annotations

from enum import Enum


class Tag(Enum):
    """A meaning, and the words that have it."""

    DROP = """
        drop ignore ignoring ignored disregard* forget forgetting override overriding bypass
        bypassing abandon discard neglect overrule unlearn supersede set_aside throw_out
        put_aside stop_following stop_obeying do_not_follow don't_follow do_not_obey don't_obey
        never_follow pay_no_attention no_longer_follow ignorier* vergiss vergesst vergessen
        missacht* ubergeh* verwirf verwerft beachte_nicht befolge_nicht setz_dich_uber ignorez
        oubliez oublie ignora ignora_las olvida olvide olvidate ignorar descarta desconsidere
        desconsidera esqueca esquece dimentica dimenticati trascura negeer vergeet zignoruj
        ignoruj zapomnij игнорир* проигнорир* забудь забудьте отбрось unut yoksay gormezden_gel
        忽略 无视 忘记 忘掉 無視 忘れて 무시 잊어 تجاهل"""
    PRIOR = """
        previous previously prior earlier above preceding former foregoing your initial original
        existing system developer safety hidden beforehand you_were so_far until_now
        given_to_you old past vorherig* bisherig* fruher* vorig* vorangegangen* obig* deine
        deiner deinen eure precedent* anterieur* vos tes anterior* previa* previo* tus sus
        precedenti tuoi tue vorige eerdere oude jouw poprzedni* dotychczasow* predchoz* predosl*
        drivejsi tidigare foregaende tidligere aiem* edelli* korabbi elozo anterioare precedente
        sebelumnya truoc προηγουμεν* παλι* попередн* ранее прошлы* eski wczesniejsz* предыдущ*
        прежни* свои твои ваши onceki 之前 先前 此前 你的 您的 以上 これまで 以前 あなたの 이전
        기존 당신 السابقة הקודמות הקודמים पिछले पहले ก่อนหน้า قبلی 从前 过去 旧的 以前の 从前的
        前の"""
    EVERY = """
        all any every everything alle aller allen jegliche* sammtliche* samtliche* toutes tous
        todas todos tutte tutti wszystkie все всё 所有 一切 任何 すべて 全て 모든 جميع"""
    ORDERS = """
        instruction* directive* prompt prompts guardrail* safeguard* programming orders
        system_message* anweisung* instruktion* befehle richtlinien vorgaben consigne*
        directives instruccion* ordenes instruco* diretrizes istruzion* direttive instructies
        opdrachten instrukcj* polece* инструкц* указани* talimat* 指示 命令 プロンプト 指令
        提示词 지시 명령 지침 تعليمات أوامر"""
    RULES = """
        tasks assignments aufgaben auftrage rules rule guideline* guidance polic* restriction*
        constraint* limitation* training context conversation told said regeln vorschriften
        regler reglerne reglene saannot saantoja szabaly* reguli* regulile κανον* aturan quy_tac
        quy_dinh pravidla pravidel regles reglas regras regole regels zasad* правил* kural* 规则
        ルール 規則 규칙 قواعد القواعد הכללים नियम กฎ قوانین 规定 規定 规章"""
    VOID = """
        no_longer_apply no_longer_applies no_longer_valid no_longer_hold no_longer_holds
        no_longer_bind no_longer_binding no_longer_count no_longer_counts no_longer_matter
        no_longer_matters no_longer_relevant no_longer_needed no_longer_stand no_longer_stands
        no_longer_in_force no_longer_in_effect no_longer_effective no_longer_govern
        no_longer_to_be_followed not_apply_any don't_apply_any do_not_count don't_count
        do_not_hold don't_hold not_valid not_binding not_in_force not_in_effect out_of_force
        out_of_date stopped_applying cease_to_apply ceased_to_apply stop_applying have_expired
        has_expired have_lapsed has_lapsed void voided null_and_void revoked rescinded repealed
        retracted withdrawn cancelled canceled lifted superseded been_replaced suspended
        abolished overridden dropped waived dissolved retired invalidated nullified annulled
        do_not_apply don't_apply does_not_apply doesn't_apply obsolete aufgehoben ungultig
        gelten_nicht gilt_nicht gelten_nun_nicht gelten_ab_sofort_nicht ausser_kraft hinfallig
        nicht_mehr_gultig nicht_langer uberholt annule* abrog* caduc* perime* invalide*
        s'appliquent_plus s'applique_plus sont_plus_valables sont_plus_en_vigueur
        sont_plus_valides ne_valent_plus ne_comptent_plus anulad* derogad* caducad*
        ya_no_se_aplican ya_no_aplican ya_no_valen ya_no_rigen ya_no_son_valid* ya_no_cuentan
        ya_no_estan_vigentes ya_no_tienen_vigencia no_se_aplican_ya revogad* cancelad*
        nao_se_aplicam ja_nao_valem nao_valem_mais nao_sao_mais_valid* ja_nao_se_aplicam
        ja_nao_vigoram non_si_applicano non_valgono non_sono_piu_valid* non_sono_piu_in_vigore
        annullat* abrogat* revocat* decadut* vervallen gelden_niet niet_meer_van_toepassing
        niet_meer_geldig ingetrokken nie_obowiazuj* juz_nie_obowiazuj* niewazn* uchylon*
        uniewaznion* отменены отменен* недействительн* не_действуют не_действует не_применяются
        утратили_силу больше_не_имеют не_діють не_застосовуються скасован* neplati neplati_uz
        jiz_neplati uz_neplati zrusen* neplatia galler_inte galler_ej upphav* gaelder_ikke
        gælder_ikke ophaev* ophæv* gjelder_ikke opphevet eivat_ole_enaa eivat_enaa eivat_pade
        kumottu nem_ervenyes* mar_nem hatalyat_veszt* nu_se_mai_aplic* nu_mai_sunt_valabil*
        nu_mai_sunt_in_vigoare anulate gecerli_degil gecerliligini iptal_edildi
        yururlukten_kalkti tidak_lagi_berlaku tidak_berlaku dicabut khong_con_ap_dung
        khong_con_hieu_luc khong_ap_dung δεν_ισχυουν δεν_ισχυει καταργ* ακυρ* 作废 失效 無効
        无效 不再适用 不再有效 不再生效 不适用 不再適用 廢止 废止 撤销 已取消 適用されない
        適用されません 適用されなく 効力を失 廃止 もう有効ではな 무효 적용되지_않 적용되지
        유효하지 폐지 لم_تعد لم_تعد_سارية لم_تعد_تنطبق لم_تعد_صالحة لا_تنطبق ملغاة ألغيت לא_חלים
        לא_תקפים בוטלו אינם_תקפים लागू_नहीं अमान्य रद्द ไม่มีผล ไม่ใช้ ยกเลิก اعمال_نمی لغو
        معتبر_نیست"""
    OBEY = """
        obey obeys comply complies submit gehorche gehorcht befolge befolgt obeis obeissez
        obedece obedezca obbedisci gehoorzaam подчиняйся слушайся 服从 听从 従え 従って 복종"""
    BLINDLY = """
        without_question without_questions unconditionally blindly no_matter_what whatever
        without_hesitation bedingungslos blind widerspruchslos ohne_nachfrage sans_discuter
        ciegamente cegamente ciecamente blindelings беспрекословно 无条件 無条件 무조건"""
    REVEAL = """
        reveal show print output repeat display leak dump disclose expose recite echo paste
        verrate zeige enthulle wiederhole gib ausgeben revele affiche revela muestra mostre
        rivela mostra onthul ujawnij раскрой покажи 显示 透露 泄露 输出 見せ 表示 공개"""
    PROMPT = """
        prompt_text prompt_texts prompt_texte system_prompt system_prompts systemprompt
        initial_prompt initial_instructions hidden_prompt hidden_instructions
        secret_instructions your_instructions your_prompt your_system_message
        original_instructions system_message developer_message your_guidelines system-prompt
        deine_anweisungen deinen_systemprompt systemanweisung* 系统提示 システムプロンプト
        시스템"""
    NOT = """
        not never don't dont without avoid no nicht nichts nie niemals ohne kein keine keinen ne
        jamais pas sans nunca sin nao sem non mai senza niet nooit zonder nigdy не никогда 不要
        别 不得 请勿 ない 말고 لا"""
    TELL = """
        tell telling inform informing notify notifying alert alerting mention mentioning
        disclose disclosing reveal revealing"""
    TELL_ABROAD = """
        sag sage sagen erzahl* informier* mitteilen mitzuteilen erwahn* verrate verraten
        benachrichtig* melde dire dis dites informe informer informez previens prevenir signaler
        digas menciones informes informar avisar avises diga dizer conte contes dirlo dica
        vertel zeg meld powiedz mow informuj говори говорите сообщай сообщайте рассказывай 告诉
        告知 通知 透露 知らせ 伝え 言わ 알리지 알려 말하지 تخبر"""
    HIDE = """
        keep_secret keep_this_secret keep_it_secret keep_this_from keep_it_from secretly
        covertly verschweig* verheimlich* verbirg verberge heimlich cacher cachez cache_cela
        cache_ceci cache_ca cache_tout cache_toujours cache_toute cache_cette cache_cet
        cache_ces cache_le cache_la cache_les cache_l cache_bien dissimule* oculta ocultar
        oculte oculten esconde esconder esconda nascondi nascondere nascondete verberg verbergen
        ukryj ukryc скрой скрывай скрывать скройте тайно 隐瞒 瞒着 隐藏 隠して 隠す 숨겨 숨기"""
    USER = """
        user users human humans operator operators owner nutzer nutzerin nutzern benutzer
        benutzerin anwender anwenderin betreiber utilisateur* usuario usuarios usuaria utente
        utenti gebruiker uzytkownik* пользовател* kullanici* 用户 ユーザ 利用者 사용자 المستخدم"""
    SEND = """
        send sends sending post posts upload uploads uploading forward forwards forwarding
        transmit* leak exfiltrat* email_the email_all email_your email_every email_my email_any
        email_it email_them email_this email_these emailing mail_the mail_all mail_your publish
        share submit submits deliver hand_over pass_on copy_to bcc_to schick schicke schicken
        sende senden ubermittl* weiterleit* leite hochlad* lade_hoch envoie envoyez transmets
        envia envie enviar manda mande invia inoltra stuur verstuur wyslij przeslij отправь
        отправьте отправляй перешли вышли gonder 发送 转发 上传 发到 送信 送って 転送 보내 전송"""
    SECRETS = """
        password passwords passwd credential credentials api_key api_keys apikey apikeys token
        tokens access_token access_tokens private_key private_keys ssh_key ssh_keys secret
        secrets cookie cookies session_cookie* seed_phrase* environment_variable* env_vars
        env_file system_prompt chat_history conversation conversations chat_log* personal_data
        personal_information customer_data customer_record* user_data memory_contents
        credit_card* login_data passwort passworter kennwort kennworter zugangsdaten
        anmeldedaten schlussel geheimnis* gesprachsverlauf kundendaten mots_de_passe
        identifiants contrasenas credenciales senhas wachtwoorden hasla пароли ключи 密码 密钥
        凭证 パスワード 認証情報 비밀번호"""
    OUTSIDE = """
        webhook endpoint attacker attackers external_server remote_server external_address
        following_address this_address to_me address_below outside_address third_party
        diese_adresse folgende_adresse externe* cette_adresse esta_direccion este_endereco
        этот_адрес 这个地址 このアドレス"""
    FETCH = """
        download downloads downloading fetch fetches fetching curl wget grab retrieve
        herunterlad* herunterladen lade abrufen hole telecharge* descarga* baixe scarica скачай
        下载 ダウンロード"""
    RUN = """
        run runs execute executes executing launch launches install installs ausfuhr* fuhre
        starte installier* execute* executez ejecuta* esegui выполни запусти 运行 执行 実行 실행"""
    WRITE = """
        add append write echo insert put install register schedule enable edit modify update
        overwrite create place drop save hinzufug* fuge schreib* trage eintrag* ajoute agrega
        anade добавь 写入 添加 追加"""
    ACT = """
        delete erase wipe destroy purge transfer wire buy purchase order book reserve sell
        donate subscribe unlock disable deactivate cancel send forward email share upload
        publish post invite grant revoke schedule unsubscribe withdraw deposit remove visit
        click download losch* uberweis* kauf* bestell* buch* sende schick* teile veroffentlich*
        deaktivier* entsperr* kundig* supprime* envoie* achete* borra* envia* compra* elimina*
        删除 发送 购买 削除 購入"""
    AUTHORITY = """
        approve* approval* approving authoris* authoriz* authority permission permissions
        permit* consent* sign_off signs_off signed_off sign-off pre-approved preapproved
        mandate* empower* entitled on_behalf_of speaks_for speak_for acts_for in_charge
        has_the_say final_say full_access admin_access root_access admin_rights full_control
        unrestricted_access administrator_rights admin_privilege* root_privilege* superuser
        trusted_source trusted_sender fully_trusted is_trusted are_trusted be_trusted as_trusted
        trusted_by whitelist* allowlist* vetted verified_by certified_by cleared_by same_rights
        higher_priority takes_precedence take_precedence outrank* overrules bypass bypasses
        auto-approve* auto-accept* autoapprove impersonat* power_of_attorney clearance genehmig*
        freigab* freigeb* freigegeben erlaubnis erlaubt berechtig* vollmacht* befugt* zustimmung
        einwilligung bevollmachtigt* ermachtig* vertrauenswurdig* im_namen_von darf_alles
        weisungsbefugt* autoris* autoriz* permiso* permissao approv* 批准 授权 权限 承認 許可
        승인 권한 разрешен* одобр* موافق"""
    CONSENT = """
        okay okays okayed ok'd oks oked okey greenlit greenlights greenlighted green_lit
        green_light green_lights green-lit go_ahead go-ahead thumbs_up thumbs-up blessing
        blessed blesses nod nodded says_yes said_yes say_yes yes_to agreed agrees agree accepted
        accepts consented consents confirmed confirms confirm allowed allows permitted permits
        endorsed endorses ratified ratifies rubber-stamped rubber-stamps rubberstamped
        waved_through waves_through signed_it signed_for sanctioned sanctions cleared clears
        vouches vouched is_fine_with is_ok_with is_okay_with is_happy_with is_good_with
        fine_with_it has_no_objection* no_objection* raised_no_objection* has_nothing_against
        doesn't_mind does_not_mind won't_mind carte_blanche free_hand free_rein authorised
        authorized granted grants gave_leave assented assents acceded acquiesced welcomed
        all-clear all_clear lgtm in_favor in_favour already_said_so waived waives
        wants_no_questions zugestimmt stimmt_zu stimmte_zu einverstanden genehmigt erlaubt
        abgesegnet abgenickt grunes_licht nichts_dagegen sagt_ja ja_gesagt zugesagt bewilligt
        accord d'accord a_dit_oui dit_oui approuve autorise accepte feu_vert de_acuerdo
        visto_bueno dijo_que_si dice_que_si acepto acepta aprobo autorizo luz_verde concordou
        aceitou aprovou autorizou disse_sim d'accordo acconsente acconsentito accettato
        approvato autorizzato ha_detto_si via_libera akkoord goedgekeurd stemt_in ingestemd
        zgodzil zgadza zatwierdzil согласен согласна согласился согласилась одобрил* разрешил*
        подтвердил* дал_добро 同意 批准 许可 允许 了承 承認 承諾 許可 同意し 동의 승인 허락 وافق
        kabul_etti onayladi"""
    MONEY = """
        payment payments payout payouts invoice invoices invoicing iban swift_code bic
        bank_account bank_details bank_transfer wire_transfer payee payees payroll refund
        refunds refunded paypal venmo bitcoin btc crypto_wallet wallet_address gift_card
        gift_cards credit_card credit_cards debit_card remittance beneficiary escrow
        purchase_order purchase_orders account_number routing_number pays_to pay_to
        billing_details zahlung* uberweis* rechnung rechnungen kontonummer bankverbindung
        empfangerkonto gutschein* lastschrift* virement* facture* paiement* factura* pago pagos
        pagamento* fattur* betaling* 付款 支付 转账 银行 振込 支払 결제 송금 оплат* платеж*"""
    CONTACT = """
        phone_number phone_numbers mobile_number telephone_number email_address mail_address
        new_email new_number contact_person emergency_contact point_of_contact contact_details
        contact_address hotline call_back passport social_security ssn date_of_birth id_number
        identity_card driver's_license next_of_kin same_person alias_of also_known_as goes_by
        identity identities home_address reply-to on_whatsapp on_telegram via_whatsapp
        via_telegram telefonnummer handynummer mailadresse e-mail-adresse ansprechpartner*
        kontaktperson notfallkontakt ausweis* personalausweis geburtsdatum identitat
        dieselbe_person numero_de_telephone numero_de_telefono 电话 手机号 身份证 電話番号
        전화번호"""
    UNASKED = """
        without_asking without_confirmation without_confirming without_permission
        without_approval without_prompting without_consent without_consulting without_checking
        without_review without_reviewing without_notice without_telling without_notifying
        without_verification without_verifying without_question without_further without_user
        don't_ask do_not_ask never_ask not_ask_for no_need_to_ask need_not_ask don't_wait_for
        do_not_wait_for don't_confirm do_not_confirm don't_prompt do_not_prompt no_confirmation
        no_confirmations skip_confirmation skip_confirmations skip_the_confirmation
        no_questions_asked not_be_asked being_asked_for needn't_ask asking_for_confirmation
        asked_for_confirmation no_prompts unattended unasked ungefragt ohne_ruckfrage*
        ohne_nachfrage* ohne_zu_fragen ohne_nachzufragen ohne_bestatigung nicht_nachfragen
        frag_nicht keine_ruckfrage* keine_bestatigung sans_demander sans_confirmation
        sin_preguntar sin_confirmar sem_perguntar senza_chiedere zonder_te_vragen
        без_подтверждения не_спрашивая 无需确认 不用确认 不用问 確認なし 確認せず 묻지"""
    MEMORY = """
        memory_entry memory_entries memory_store long-term_memory long_term_memory your_memory
        agent's_memory agent_memory its_memory memory_file memory_files memory_tool memory.md
        user.md soul.md memories saved_memory persistent_memory to_memory in_memory_that
        your_memories memory_note memory_notes other_entries earlier_entries previous_entries
        other_entry earlier_notes older_entries all_entries this_entry agent's_notes
        assistant's_notes user_profile user's_profile reviewdeck review_queue pending_proposal*
        pending_queue gedachtnis erinnerungen gedachtniseintrag* memoria_del 记忆 記憶 메모리에"""
    EDIT = """
        delete deletes erase remove removes replace replaces overwrite overwrites update updates
        edit edits modify modifies add adds append appends write writes wipe clear forget ignore
        save store change changes prune supersede supersedes obsolete void outdated wrong
        invalid losche loschen ersetze andere uberschreib* speicher* vergiss"""
    KEEP = """
        remember memorize memorise keep_in_mind never_forget don't_forget do_not_forget
        note_to_self save_this store_this merke merk_dir erinnere_dich speichere_dir denk_daran
        recuerda lembre ricorda souviens-toi запомни 记住 覚えて 기억"""
    REVIEW = """
        review reviews reviewed reviewing reviewer reviewers audit audits audited auditing
        confirmation confirmations verification safety_check safety_checks scan scanning scanner
        oversight inspection moderation prufung uberprufung kontrolle revision 审核 审查
        レビュー 검토"""
    SKIP = """
        skip skips skipped bypass disable disabled omit without no not never needless
        unnecessary less fewer stop turn_off turned_off exempt waive waived needn't doesn't
        don't auto automatic automatically already passed uberspring* ohne nicht kein keine
        unnotig*"""
    FORGET = """
        forget_everything forget_about_everything forget_about_all_the forget_all_tasks
        forget_all_your forget_all_assignments forget_anything ignore_everything
        disregard_everything abandon_all_your vergiss_alles vergesst_alles vergiss_alle_aufgaben
        vergiss_alle_auftrage ignoriere_alles olvida_todo olvide_todo oublie_tout oubliez_tout
        dimentica_tutto esqueca_tudo"""
    OVERRIDDEN = """
        ignore_above_and ignore_the_above_and you're_no_longer_bound you're_no_longer_restricted
        you're_no_longer_limited you_are_no_longer_bound you_are_no_longer_restricted
        you_are_no_longer_limited you_are_not_any_more_bound system_override
        system_prompt_override system_prompt_bypass system_prompt_is_now"""
    TAKEN_OVER = """
        now_you_are jetzt_bist_du nun_bist_du new_instructions_follow neue_anweisungen_folgen
        jailbreak jailbreaks jailbreaked jailbreaking do_anything_now du_bist_jetzt du_bist_nun
        du_bist_ab_jetzt du_bist_ab_sofort ab_jetzt_bist_du ab_sofort_bist_du von_nun_an_bist_du
        ab_jetzt_antwortest_du ab_jetzt_handelst_du ab_jetzt_gehorchst_du
        ab_sofort_antwortest_du tu_so_als gib_dich_als"""
    CONCEALED = """
        behind_the_user's_back behind_the_owner's_back behind_the_operator's_back
        unbeknownst_to_the without_the_knowledge_of_the unnoticed_by_the leave_no_trace
        leave_no_record leave_no_log keep_no_trace keep_no_record keep_no_log
        say_nothing_about_it say_nothing_about_this say_nothing_of_it say_nothing_of_this
        ohne_wissen_des ohne_wissen_der ohne_das_wissen_des ohne_das_wissen_der
        hinter_dem_rucken"""
    REMOTE_CONTROL = """
        c2_server c2_channel c2_infrastructure c2_beacon c2_node c2_endpoint c2_host
        command_and_control_server command_and_control_channel command_and_control_host
        command_and_control_address command_and_control_node command_and_control_panel
        command_and_control_endpoint reverse_shell bind_shell backdoor keylog* meterpreter
        cobalt_strike exfiltrate exfiltrates exfiltrated exfiltrating"""
    OWN_REVIEW = """
        reviewdeck write_approval background_review"""
    DECODE = """
        rot13 rot_13 rot47 rot_47 caesar_cipher acrostic first_letter_of_each
        first_letters_of_each written_backwards read_backwards spelled_backwards spelt_backwards
        read_it_backwards reverse_the_string reverse_the_text reverse_the_letters base64_decod*
        base64_encod* hex_decod* hex_encod* decode_it decode_them decode_this
        decode_the_following decoded_it decoding_it decoding_them decoding_this decode_and
        decode_then morse pig_latin"""
