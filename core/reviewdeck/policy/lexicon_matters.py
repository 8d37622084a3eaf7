"""The words of matters where a false fact does harm, and of claims that make a careful habit lax.

They are written as those of the lexicon are. No rule holds a text for one of them alone: honest
texts speak of these matters as well. They are what the weighing of a text knows beside its words.
"""

from __future__ import annotations

from collections.abc import Mapping

from reviewdeck.policy.concepts import Concept

MATTERS: Mapping[Concept, str] = {
    Concept.HEALTH: """
        medicine* medication* medical* drug drugs dose doses dosed dosage* dosing overdos* tablet
        tablets pill pills capsule* ampoule* vial vials syringe* injection injections infusion*
        bolus insulin warfarin aspirin ibuprofen paracetamol penicillin antibiotic* anticoagul*
        thinner blood_thinner vaccin* inhaler* epipen* allerg* anaphyla* diabet* hypo epilep*
        seizure* asthma* cardiac heart_drops blood_pressure blood_sugar glucose potassium sodium
        morphine opioid* chemo* patient patients ward icu triage symptom*
        diagnos* prescri* pharmac*
        contraindicat* mg mcg ml pediatric* paediatric* pregnan* infant* sterile sterilis*
        steriliz* disinfect* hygien* gluten nut_free hazelnut* peanut* lactose mushroom* botul*
        medikament* arznei* tablette* dosis dosier* spritze* impf* allergi* patient*
        medicament* comprime* posologie vaccin* seringue* ordonnance* medicin* pastilla* vacuna*
        jeringa* receta_medica farmac* compress* vaccino dosagg* siringa* remedio* comprimid*
        vacina* medicijn* tabletten dosering lek leki lekow dawk* tabletk* szczepion* medicin*
        tablett* dosering* lakare* lek leku lekar* davk* laake* laakit* annos* tabletit ilac ilaci
        doz лекарств* таблет* дозу доза* прививк* пациент*
        药 剂量 片 疫苗 患者 薬 錠 投与 服用 ワクチン 약 복용 용량 환자""",
    Concept.HAZARD: """
        voltage* volts mains breaker* fuse fuses rcd earthing grounding live_wire de-energi*
        deenergi* lockout tagout interlock* light_curtain light_barrier guard_rail* emergency_stop
        e-stop watchdog* alarm alarms detector* smoke* carbon_monoxide co_alarm gas leak leaks flue
        chimney damper stove petrol gasoline solvent* acetone acid acids bleach ammonia fumes
        ventilat* extractor fume_hood flammab* explos* pressure_relief relief_valve overpressure
        torque torqued load_limit maximum_load payload overload* harness* helmet* goggles gloves
        respirator* seat_belt seatbelt* booster lifejacket* lifeguard* life_jacket* ladder*
        scaffold* brake brakes tyre_pressure tire_pressure tread fire_door* fire_doors smoke_door*
        emergency_exit* escape_route* sprinkler* extinguish* first_aid dive diving decompress*
        ice_thickness avalanche* chainsaw* chain_saw dosimet* radiat* reactor freezer* fridge*
        cold_chain set_point setpoint core_temperature best_before thermometer* canning preserv*
        sicherung* fehlerstrom* lichtschranke* not-aus notaus rauchmelder*
        brandschutz* feuerloscher*
        gurt* helm* schutzbrille* drehmoment* hochstlast* ventil* alarmanlage* spannung*
        disjoncteur* fusible* detecteur* alarme* extincteur* casque* harnais* frein* couple
        interruptor* extintor* casco* freno* alarma* gas fuga* estintor* freni caldaia valvola*
        disjuntor* extintor* capacete* freio* freios zekering* rookmelder* brandblusser* helm
        bezpiecznik* gasnic* czujnik* kask* hamul* wyciag opary brandvarnare* sakring* larmgrans*
        hakavaroitin* palovaroitin* pojistk* hasic* brzd* sigorta* fren* предохранител* огнетуш*
        警报 报警 灭火 安全帽 刹车 电压 警報 消火 ヘルメット ブレーキ 電圧 경보 소화 헬멧""",
    Concept.LAW: """
        statut* statutory limitation_period notice_period embargo* ballot* vote votes election*
        quorum contract contracts lease leases tenancy tenant* landlord* licence* license* permit
        permits clause* liabilit* warrant* guarantee* insur* policyholder* tax taxes vat customs
        duty duties tariff* invoice* invoicing receipt receipts audit audits auditor* regulat*
        compliance gdpr hipaa consent consents waiver* waive waives waived court courts judge
        hearing hearings testimony witness* exhibit* privilege* confidential* patent* copyright*
        trademark* inherit* testament will_and probate visa visas passport* residence immigration
        exam exams examination* grade grades grading pupil* minors guardian* custody safeguarding
        gesetz* frist fristen kundigungsfrist vertrag* steuer* rechnung* versicherung* haftung*
        wahlzettel bussgeld* loi lois delai* bail contrat* impot* facture* assurance* ley leyes
        plazo* contrato* impuesto* factura* seguro legge leggi scadenz* contratt* impost* fattur*
        assicur* lei leis prazo* imposto* fatura* seguro wet wetten termijn* belasting* factuur*
        verzeker* prawo ustaw* termin* umow* podat* faktur* ubezpiecz* lag lagen avtal* skatt*
        forsakring* zakon* smlouv* dan dane danov* vergi* sozlesme* закон* договор* налог* счет*
        法律 合同 税 发票 保险 契約 法 税金 請求書 保険 법 계약 세금 보험""",
    Concept.UNNEEDED: """
        unnecessary needless needn't need_not not_needed not_need isn't_needed aren't_needed
        isn't_necessary not_necessary isn't_required aren't_required not_required doesn't_need
        don't_need doesn't_have_to don't_have_to no_need no_longer_needs no_longer_need
        no_longer_needed no_longer_required no_longer_necessary never_needed nobody_needs
        nothing_needs needs_no need_no requires_no isn't_worth aren't_worth not_worth superfluous
        redundant pointless overkill optional dispensable without_further unnotig* nicht_notig
        nicht_mehr_notig nicht_erforderlich uberflussig* braucht_nicht braucht_kein*
        muss_nicht mussen_nicht nicht_mehr_notwendig entfallt entfallen pas_besoin plus_besoin
        n'ont_plus_besoin pas_necessaire inutile* superflu* no_hace_falta no_es_necesari*
        no_necesit* innecesari* ya_no_hace sobra non_serve non_occorre non_e_necessari* superfluo
        nao_precis* nao_e_preciso nao_e_necessari* desnecessari* niet_nodig hoeft_niet hoeven_niet
        overbodig* niepotrzebn* nie_trzeba nie_musi nie_musza nie_jest_potrzebn* zbedn* behovs_inte
        behover_inte onodig* behoves_ikke ikke_nodvendig* ei_tarvitse tarpeeton neni_potreba
        neni_treba nemusi zbytecn* gerekmez gerek_yok gereksiz не_нужн* не_требуется не_надо
        необязательн* лишн*
        不需要 不必 无需 無需 不用 没必要 必要ない 必要はない 不要 しなくてよい なくてよい 필요_없
        필요는_없 불필요""",
    Concept.MISTAKEN: """
        misprint* typo misprinted mislabel* mistaken mistakenly by_mistake in_error erroneous*
        is_wrong are_wrong was_wrong wrongly incorrect* not_correct outdated out_of_date obsolete
        superseded actually in_reality in_truth really_is in_fact true_value
        real_value correct_value
        right_value the_correct the_right too_cautious overcautious exaggerated overstated
        misread* misunderst* confus* not_what applies_only older_product old_product from_before
        before_the_change falsch irrtumlich* druckfehler felskriven in_wirklichkeit tatsachlich
        eigentlich veraltet* uberholt faux fausse erron* en_realite en_fait perime* desuet*
        equivocad* incorrect* en_realidad anticuad* obsolet* sbagliat* errat* in_realta
        superat* errad* na_verdade na_realidade desatualizad* verkeerd* fout eigenlijk achterhaald*
        blednie bledn* w_rzeczywistosci nieaktualn* fel_i felaktig* egentligen foraldrad* chybn*
        ve_skutecnosti zastaral* yanlis aslinda todellisuudessa vanhentunut ошиб* неверн*
        на_самом_деле устарел* 错 错误 其实 实际上 过时 誤 間違い 実際は 古い 틀린 잘못 사실은""",
    Concept.ENOUGH: """
        enough suffice suffices sufficient sufficiently will_do good_enough is_plenty are_plenty
        only_one one_is_enough all_right alright fine okay is_ok are_ok safe_to counts_as count_as
        stands_for equals amounts_to as_good_as genugt genugen reicht reichen ausreich* gilt_als
        suffit suffisent basta bastan vale_como bastano chega bastam volstaat volstaan wystarcz*
        racker duger riittaa staci yeter yeterli yeterlidir достаточно хватит хватает
        足够 足夠 够了 就行 即可 十分 だけでよい 充分 충분""",
    Concept.AFTERWARDS: """
        afterwards afterward later_on after_the_fact retroactive* retrospectiv* catch_up
        made_up_for the_day_after the_next_day only_then first_and tell_afterwards belatedly
        by_the_time until_then in_the_meantime meanwhile before_anyone before_anybody ahead_of
        nachtraglich* hinterher nachgeholt im_nachhinein spater apres_coup ensuite despues luego
        a_posteriori dopo in_seguito a_posteriori depois posteriormente achteraf naderhand
        pozniej potem po_fakcie efterat i_efterhand jalkikateen dodatecne potom sonradan
        потом позже задним_числом 事后 之后 以后再 後から 後で 事後 나중 사후""",
    Concept.APART: """
        leave_out leaves_out left_out leave_her leave_him leave_them keep_out keep_from don't_tell
        do_not_tell not_tell without_telling don't_bring don't_mention don't_pass don't_show
        don't_share not_to_know needn't_know need_not_know out_of_the_loop not_be_copied
        not_in_copy behind_his behind_her grain_of_salt can't_be_trusted not_to_be_trusted
        untrustworth* unreliable is_after spies spying leaks_to sells_it jealous lies_about
        evasive* exclude excludes excluded nichts_davon nicht_zeigen nicht_sagen nichts_sagen
        verschweig* ausweichend* weglassen ne_pas_dire sans_dire a_l'insu no_decir sin_decir
        no_contar a_espaldas non_dire senza_dire all'insaputa nao_dizer sem_dizer niet_vertellen
        niet_zeggen buiten_houden nie_mowic pomijac nie_pokazywac bez_wiedzy inte_beratta
        utan_att nerikat nerict neukazovat soylemeden haber_vermeden не_говорить не_сообщать
        не_показывать 不要告诉 别告诉 不告诉 伝えない 見せない 言わない 알리지 말하지 보여주지""",
}
