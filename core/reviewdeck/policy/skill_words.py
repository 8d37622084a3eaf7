"""The verbs of skills: what a plain step does, and what changes something outside the answer."""

from __future__ import annotations

from reviewdeck.policy.wordlist import words

STEPS = words("""
    add aim analyse analyze annotate answer arrange ask assess avoid balance begin benchmark
    brainstorm build calculate capture categorise categorize celebrate check choose cite clarify
    classify clean collect colour combine comment compare compile complete compute confirm
    consider contrast convert count cover create debug decide define describe design determine
    diff discuss divide document double double-check draft draw echo edit encourage ensure estimate
    evaluate examine expand explain explore express extract figure filter find finish fit fix
    focus format gather generate get go greet group highlight identify illustrate implement
    import indent inspect interview introduce iterate jot keep label lead learn let lint list
    listen locate look make map measure mention minimise mock model name narrow normalise
    normalize note number observe offer-alternatives order organise organize outline paraphrase
    parse pause phrase pick plan plot polish practise practice praise predict prefer prepare
    present preview prioritise prioritize produce profile proofread propose prototype quantify
    query question quote rank rate read rebuild recap record reduce refactor refer reflect rename
    render repeat rephrase replay reproduce research restate retry return review revise rewrite
    round run sample save-nothing say scan scope score search see select separate show simplify
    simulate sketch skim slice sort spell split stage start state stop structure study suggest
    summarise summarize support tabulate tag teach tell test think time trace translate trim
    type typeset understand update use validate vary verify version visualise visualize wait walk
    warn watch work wrap write
    declare cut multiply
    only first then finally next also please
""")
"""What a plain step begins with."""

LOOKS = words("""
    ask check compare count explain find go inform list look mention name note pause point propose
    quote read repeat report return review revise rewrite say search show simplify split start
    state stop suggest summarise summarize tell think try wait warn write mark reduce add choose
    use measure prefer keep describe make consider rephrase draw test run label
""")
"""What a step may do on a condition."""

ON_CONDITION = words("""
    ask check explain look mention note point propose read repeat say show start state stop suggest
    tell warn wait split simplify shorten reduce prefer rephrase rewrite draw describe compare
""")
"""What a step may do when something is so."""

MAY_BE_FORBIDDEN = words("""
    use run add repeat guess rewrite begin start make invent translate mix nest write paraphrase fix
    summarise summarize shorten round quote expand create
""")
"""What a plain skill may say that is not to be done, besides what it may not do."""

ACTS = words("""
    accept accepts act activate adjust agree allow append apply approve assign attach authorise call
    authorize
    bill block book bypass buy cancel carry cc charge claim click clone close commit configure
    connect copy deactivate decline delete deliver deny deploy disable discard disregard
    distribute do download drop email embed enable enter escalate exclude execute export expose
    extend fetch fill follow force forget forward fulfil grant hand heed hide ignore impersonate
    increase inject insert install invite invoke issue join kill launch leave load lock log-in
    lower mail merge migrate move mute notify obey omit open opt order overrule override overwrite
    park pass paste patch pay perform pip ping place post print prolong promise promote prune
    publish pull purchase purge push put quarantine raise redact redirect register reinstall
    reject release relay relax remember remind remove renew replace reply request reschedule
    reset resolve respond restart restore retain revert revoke rotate save scale schedule send
    set share ship shorten sign skip snooze spend squash store stretch submit subscribe suppress
    swap switch sync terminate tick top toggle touch transfer transmit treat trust turn uninstall
    unlock unsubscribe upgrade upload vote waive whitelist wipe withdraw withhold
    install assume pretend act bump judge grade award favour favor
    recommend change modify alter give attribute
""")
"""What changes something, sends something or settles something."""

CHOICES = words("""
    choose cite find get include mention model name offer-alternatives pick praise prefer present
    promote propose quote refer search suggest support use
""")
"""What singles something out: then it has to be something ordinary."""

NOUNS = words("""
    access book block call
    charge claim clone close commit copy do drop email embed export extend fetch
    fill force hand hide increase insert issue join leave load lock lower mail merge move open
    order park pass paste patch pay ping place post print pull push put release reply request
    reset save scale schedule send set share ship sign skip stretch store swap switch sync
    top toggle touch transfer trust turn upgrade upload vote raise post redirect patch log return
    restore restart email act carry click change
""")
"""Of these, what stands for a thing as well: the pull request, a release."""

FORMS = words("""
    a an bullet bullets table tables list lists heading headings diagram sentence sentences question
    questions percentage percentages number numbers comment comments draft markdown json csv code
    text plain one two three follows shown who below above well usual needed far soon possible
    short long nullable deprecated it they you is are in before
""")
"""As what something may be written down."""

OTHER_LANGUAGES = words("""
    prufen zeigen lesen schreiben planen auflisten vergleichen fragen notieren erklaren formulieren
    zusammenfassen markieren nennen sammeln suchen ordnen gliedern entwerfen uberlegen beschreiben
    lire ecrire relire comparer noter demander expliquer resumer lister montrer verifier decrire
    classer relever reformuler
    leer escribir comparar preguntar explicar resumir mostrar revisar anotar describir ordenar
    leggere scrivere confrontare chiedere spiegare riassumere mostrare controllare annotare
    ler escrever comparar perguntar explicar resumir mostrar revisar anotar
    lezen schrijven vergelijken vragen uitleggen samenvatten tonen controleren noteren
""")
"""What a plain step does, in some other languages."""

TERMS = words("""
    abstract accessible accuracy across action-items active added adjective adjectives
    adverb adverbs again against ago agreed alone aloud alternative alternatives ambiguous
    amount amounts anchor annotated apart appendix arc arrow arrows aside assertion
    assumption assumptions asymptotic attended attributes average averages away axis
    backfill background backoff backtracking backward bag bags balanced bar bars baseline
    basic beginning behavior behaviour belong belongs below better between bigger biggest
    binaries binary bold boundary bounds box boxes breaking brief briefly broken bugs bullet
    calls caption case cases catastrophic cause causes chain change changed changes
    chapter characters check checks choice choices claim claims clarity class clause clauses
    clear clearer clearly climax close-up closing cohesion columns common compact complete
    complex composition compound concept concepts concise conclusion concrete condition
    conditions conjunction connection connections connector consistency consistent constant
    constraint constraints contents context contradiction contradictions contrast corner
    correct correctly cost costs could covered cross-check crossing culprit current cycle
    dash dashes dead deadline deadlines deep deeper default definitions deprecated depth
    derivation detail details diagram dialogue difference different difficult difficulty
    digit digits dimension direct direction directly do does doing done double drawing
    duplicate duplicates duration earlier early easier easy edge edges effect effects effort
    either embedded empty ending enough entire equal equally error errors essential estimate
    evenly exact exactly example examples exception exceptions existing expected experiment
    expert explicit explicitly exponential exponentially extra factor factors failing fails
    failure failures false familiar far fast faster feedback field fields figures filler
    final finding findings finer first-person fixed fixes flow focus follow-up footnote
    formal forward found fraction fragile frame free frequency frequent full further gap
    gaps genre good gradually grammar graph group grouped groups guess half happened happens
    hard harder head heading helpful hidden-state hierarchy hint hints horizontal hours
    hunks hypotheses hypothesis idea ideas idiom idioms impact implicit important
    improvement improvements incorrect index indexes individual inline inner intent
    intention interesting interval intervals invisible irregular isolated itself jitter
    joint jumps kind kinds known lack largest last later layout leading leaf learner left
    legend legible length less lesson libraries likely limit limits link linked links
    literal local logical long longer longest look loop loops loose lower-case luggage main
    manual map margin matching maximum mean meaning meanings means measurable median method
    methods middle migration migrations minimal minimum minor missing mistake mistakes mixed
    mode modifier moment monospaced more motif multi-stage multiple must named narrator
    narrow narrower natural nearest necessary needed needless neighbour nested notes nothing
    noun nouns nullable object objects obvious occurrence occurrences odd ones opening
    operator optional ordered ordering original others outer outline oven overlapping
    overview own pace page paragraph paragraphs parallel parameter parent part partial
    particular parts passage passages passing passive past pattern patterns phase phases
    phony phrase phrases picture piece pieces pitfalls place placeholder placeholders plain
    plan plausible plot point portion portions possible practical pre-existing precise
    precision predicate prefix present previous primary probe probes problem problems
    process pronoun proof proportion punctuation purpose quality quantities quantity
    question questions quick quickly quiet quote range rare reader readers readiness reading
    real real-life reason reasons recent redundant reference references relation
    relationship relationships relative relevant remaining removed repeated repetition
    requirement requirements result results reverse rhyme rhythm right root-cause rough row
    rows rule rules same scale scales scan scans scene schema scope season section sections
    semantic sensible sentence sentences separate separately sequential series serving
    servings setting severity shape sharp short shorter shortest should side similar simple
    simpler simplest single size sizes skeleton slide slides slow slower small smaller
    smallest smooth solution solutions sort source sources space speaker special specific
    speech speed spices spoken stable stacked stanza start state statement statements step
    steps still straight strength strengths structure structured style styles sub-task
    subject subordinate subtitle suffix suitable sum summary surprise surprises surprising
    syllable syllables symbol synonym synonyms syntax tag tags target task technical
    template tense tenses term terms text theme thesis thing things thought three-column
    timeline timeout timeouts times tip tips title titles together tone too top topic topics
    total totals transition transitions tricky trip trips true twice type typical typo typos
    unclear underlying unexpected unfamiliar uniform unique unit units unknown unnecessary
    unused unusual upper usage use useful users vague valid variable variables variance
    variant variants variation verb verbs verse version versions visible visitor vocabulary
    voice volume way ways weak weakness weaknesses well whether whole wide width word
    wording words worked working worth wrong yet your yourself zero
    requests ms
""")
"""What ordinary work on texts, code and data is about, besides the words of plain facts."""
