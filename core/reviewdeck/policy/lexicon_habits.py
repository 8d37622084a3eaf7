"""The words of lax habits: the reasons they give, what they leave out, whom they pass over.

They are written as those of the lexicon are, and like those of the matters they hold nothing by
themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

from reviewdeck.policy.concepts import Concept

HABITS: Mapping[Concept, str] = {
    Concept.NUISANCE: """
        annoying annoys nuisance noise noisy nagging fussy pedant* bureaucra* formality
        for_show cosmetic window_dressing in_the_way gets_in slows slow_down slows_us slowed
        holds_up hold_up delays delaying saves_time saves_power saves_space saves_money save_time
        costs_time more_time_than takes_too_long takes_forever too_slow too_strict too_sensitive
        oversensitive makes_trouble troublesome confuses confuse clutter clutters heavy
        false_alarm* red_anyway always_red flaky no_use of_no_use rarely_mind nobody_minds
        nobody_reads nobody_looks no_one_reads nobody_checks don't_want_to_hear
        doesn't_want_to_hear
        want_to_hear worth_a_remark worth_the_trouble ruins spoils caused_restarts
        nervt storend stort lastig formsache formalitat zu_empfindlich zu_streng spart bremst
        halt_auf kostet_zeit dauert_zu_lange verwirr* fehlalarm* gene genant* ralentit
        fait_perdre trop_strict trop_sensible formalite fausse_alerte molest* estorba retrasa
        ralentiza demasiado_sensible formalidad pierde_tiempo ahorra fastidi* rallenta ritard*
        formalita risparmi* troppo_sensibil* atrapalha atrasa demora_demais poupa hinder* vertraag*
        kost_tijd formaliteit scheelt przeszkadza opoznia formalnosc spowalnia oszczedza stor
        saktar formalitet zdrzuje formalita yavaslat* formalite zaman_kazan* мешает тормозит
        формальност* экономит 麻烦 耽误 太慢 走形式 浪费时间 面倒 手間 遅くなる 形式的 時間の無駄
        번거 느려 형식적 시간을_아""",
    Concept.BYPASSED: """
        bridged bridge_it jumper wedge wedged propped taped unlocked unlock left_open leave_open
        stays_open stay_open kept_open held_open forwarded_to_the_internet exposed publicly
        world_readable no-verify verify_false verify=false insecure --force force_push force-push
        f-strings latest_tag unpinned regenerated overwrite overwrites overwritten go_in_without
        goes_in_without go_in_once merged_anyway may_be_merged merge_after goes_live_without
        sign_without signs_without signed_without go_out_first goes_out_first order_without
        pay_without book_first ship_first without_a_second without_second without_looking
        unread unseen untested unreviewed unopened undiluted no_dump no_backup no_log-out no_logout
        never_expire never_expires unlimited uberbruck* verkeilt offen_lassen ungelesen ungepruft
        ungesichert unverschlossen ohne_vier* shunte* ponte* sans_relire sans_devis sans_lire
        deverrouill* puentead* sin_revisar sin_leer desbloquead* ponticell* senza_rileggere
        senza_leggere sblocc* sem_ler sem_rever destranc* sem_tranca overbrugd* ongelezen
        zonder_te_lezen zmostkowan* bez_czytania bez_sprawdz* forbikoppla* olast* utan_att_lasa
        lukitsematta premosten* bez_cteni kopruleniyor okumadan кругом_замка без_проверки
        не_читая 跳过 绕过 不看 未读 常开 飛ばし 読まずに 開けたまま 건너뛰 읽지_않""",
    Concept.DEEMED: """
        deemed presumed assumed_to_be taken_as taken_for_granted implied implicit counts_for
        as_accepted as_agreed as_discussed as_arranged as_promised by_silence silence_means
        no_answer no_reply if_nobody_objects unless_somebody_objects goes_through renewed
        automatically matter_of_course customary confirm_themselves confirmed_by_themselves
        reminder_is_a_formality stillschweigend als_erteilt als_angenommen als_genehmigt
        von_selbst selbstverstandlich repute reputee tacite tacitement d'office se_da_por
        se_entiende por_aceptado tacit* tacito se_confirman_solos si_intende per_accettat*
        tacitamente automaticamente da-se_por considera-se stilzwijgend geldt_als uznaje_sie
        milcz* automatyczn* anses_som underforstatt katsotaan povazuje_se mlck* sayilir
        kabul_edilir считается по_умолчанию молчание 视为 默认同意 自动 みなす 自動的に 간주
        자동으로""",
    Concept.ORDERS_INSIDE: """
        footnote* last_paragraph in_the_description in_the_subject in_the_comments subject_line
        note_to_the note_for_the for_the_attention preparation_list carried_out carries_out
        carry_out carry_them_out carry_it_out acted_on act_on acts_on follow_them followed_first
        following_them do_what do_them done_first worked_through complete_the_request
        requests_inside as_it_says as_written whoever_the_organiser from_whoever wer_auch_immer
        ausfuhren ausgefuhrt befolgen fussnote* im_betreff en_bas_de a_l'attention appliquer
        a_suivre pie_de_pagina en_el_asunto sea_de_quien ejecutar se_ejecuta nota_a_pie
        nell'oggetto esegu* rodape no_assunto executa* voetnoot in_het_onderwerp uitvoeren przypis*
        w_temacie wykon* fotnot* i_amnesraden utfor* alaviit* poznamk*
        v_predmetu dipnot* konu_satir*
        сноск* в_теме выполнять 脚注 末尾 备注 执行 照做 件名 その通り 済ませ 각주 비고
        그대로_수행""",
    Concept.SPLIT: """
        split splits in_two into_two two_invoices two_orders parts_below below_the_limit
        under_the_limit below_the_threshold under_the_threshold just_below just_under up_to
        amounts_below amounts_under sums_below sums_under small_amounts round_up rounded_up
        aufteilen aufgeteilt stuckeln unter_der_grenze bis_zu en_deux fraction* jusqu'a dividir
        divid* por_debajo_de hasta dividere sotto_la_soglia fino_a abaixo_de ate splitsen onder_de
        tot_en_met dzielimy dziel* ponizej do_kwoty dela_upp under_gransen rozdel* pod_limit bol*
        limitin_altinda разбива* ниже_лимита до_суммы 拆分 分成 以下 分割 小分け 나누어 이하""",
    Concept.DISCREDIT: """
        leaks liar lies lied jealous resents resentful plans_to_sue wants_to_sue sue sues
        behind_the_user's against_the_user talks_to_the_press copies_material sells_it_on
        slows_decisions word_is_enough has_been_wrong been_wrong is_biased biased incompetent
        careless_with not_loyal disloyal competitor's informer informant collects_material
        told_lies exaggerates overcautious hysteric* paranoid lugt neidisch verklagen
        redet_mit_der_presse unzuverlassig* spioniert ment menteu* jaloux porter_plainte
        peu_fiable miente mentiros* celos* demandar poco_fiable mente gelos* denuncia* inaffidabil*
        ciument* processar liegt jaloers onbetrouwbaar* klamie zazdros* nie_ufac niewiarygodn*
        ljuger avundsjuk* opalitlig* luotettava_ei lze zarliv* neverit duverilmez yalan врет
        завиду* ненадежн* 泄露 嫉妒 不可信 说谎 嘘 信用できない 漏らす 거짓 믿을_수_없""",
    Concept.FALSIFY: """
        fill_in fills_in filled_in across_the_board in_the_names_of in_the_name_of backdat*
        back-dated predat* made_up make_up invent invents pad padded tick_off ticked_off
        ticked_in_advance sign_for signs_for signed_for initial_for logged_at logged_as entered_as
        enter_them_as recorded_as reported_as booked_as listed_as written_as counted_as declared_as
        multiply multiplied times_ten divide_by tenths rounded round_down smoothed smooth_over
        copied_from_last last_month's_value yesterday's_value placeholder_value dummies estimate
        leave_the_second leave_gaps eintragen_als nachtragen ruckdatier* erfund* abgehakt
        mit_zehn malnehmen gerundet antidat* inventer cocher multiplier arrond* inventar
        antefech* marcar_como redonde* multiplica* inventare retrodat* spunta* arrotond*
        moltiplic* inventar antedat* arredond* invullen antidater* afgevinkt afgerond
        wpisac_jako antydat* zaokragl* pomnoz* fyll_i bakdater* avrunda* gangra vyplnit antedat*
        zaokrouhl* vynasob* doldur* задним придум* округл* умножа* 补填 倒签 编造 填写 乘以 捏造
        記入 四捨五入 掛け 지어내 반올림 곱해""",
    Concept.PRECEDENCE: """
        precedence prevails prevail overrules outranks trumps stands_above stand_above
        comes_before takes_priority has_priority even_if_the_user says_otherwise asks_otherwise
        says_differently never_deleted not_to_be_deleted never_removed never_questioned
        not_questioned beyond_question permanent permanently irrevocabl* final have_no_force
        no_force leftovers drafts_by_a_trainee no_longer_applies no_longer_apply was_for_the
        only_meant_for only_for_the_training lapsed void expired_rule valid_ones has_been_lifted
        vorrang geht_vor gilt_immer nie_geloscht nicht_geloscht unwiderruflich auch_wenn
        hinterfragt prioritaire fait_foi prime_sur meme_si definitif jamais_supprim* prevalece
        tiene_prioridad aunque_el_usuario nunca_se_borra definitivo prevale ha_la_precedenza
        anche_se_l'utente definitiv* mesmo_que_o_usuario nunca_apag* gaat_voor heeft_voorrang
        ook_als onherroepelijk pierwszenstw* nadrzedn* nawet_jesli trwal* foretrade aven_om
        permanent* prednost i_kdyz oncelik* oncelikli приоритет* даже_если не_удаля*
        优先 永久 即使用户 以此为准 優先 永続 たとえユーザー 우선 영구 다르게_말해도""",
    Concept.AT_ONCE: """
        at_once right_away straight_away straightaway immediately instantly same_minute
        within_minutes directly on_arrival as_soon_as before_anyone unattended unprompted
        of_its_own on_its_own by_itself sofort umgehend direkt gleich_nach von_allein
        immediatement aussitot sur-le-champ d'emblee inmediatamente enseguida al_instante
        subito immediatamente imediatamente logo_que meteen onmiddellijk od_razu natychmiast
        genast direkt omedelbart heti valittomasti ihned okamzite hemen derhal сразу немедленно
        立即 马上 立刻 すぐ 即時 直ちに 즉시 바로""",
    Concept.ANYONE: """
        anyone anybody whoever everyone everybody whichever_person no_matter_who any_caller
        any_sender any_visitor guests_may open_to_all public_link anyone_with shared_login
        shared_password shared_account same_password same_login all_use all_log_in common_password
        jeder jede_person wer_auch alle_nutzen gemeinsames_passwort n'importe_qui quiconque
        tout_le_monde cualquiera quien_sea todos_usan misma_contrasena chiunque tutti_entrano
        stessa_password qualquer_um todos_usam mesma_senha iedereen wie_dan_ook ktokolwiek kazdy
        wszyscy vem_som_helst alla_anvander kuka_tahansa kdokoli vsichni herkes кто_угодно
        любой все_пользуются 任何人 谁都 共用 誰でも 共有 누구나 공용""",
}
