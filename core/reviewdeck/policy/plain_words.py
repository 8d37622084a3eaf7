"""Words of plain facts: what an ordinary preference, environment or convention is made of.

These lists allow. A sentence about something that is not in them is no worse for it; it is only
not plainly harmless, so a person looks at it.
"""

from __future__ import annotations

from reviewdeck.policy.wordlist import words

PERSONS = words("""
    son daughter wife husband partner spouse child kids children brother sister mother father
    family user users user's i he she they we team team's teams people person persons dev
""")
"""Of whom memory speaks: tastes and habits are theirs."""

GLUE = words("""
    without trailing
    ok okay yes being been be
    a about after afternoon afternoons all along also always am an and another any april around
    as at august autumn because before between both by currently daily day days december default
    during e.g each eight either etc even evening evenings every february few fewer fifteen
    fifty first five for four friday fridays from generally her here him his hour hourly hours
    how hundred i.e in inside instead into it its january july june just last least less mainly
    many march may minute minutes monday mondays month monthly months more morning mornings most
    mostly ms much my near never new next night nightly nine no normally not november now
    october of off often old on one only onto or other our out over own per pm primarily quite
    rarely rather regularly same saturday saturdays second seconds september seven six so some
    sometimes spring still such summer sunday sundays ten than that the their them then there
    these third thirty this those three thursday thursdays to too tuesday tuesdays twelve twenty
    two typically under until up us usually utc very via vs wednesday wednesdays week weekday
    weekdays weekend weekends weekly weeks what when where which while who whole whose why
    winter with within year yearly years
""")

THINGS = words("""
    hint hints limiter newspaper newspapers
    hashing encryption monitoring caching routing protection trackball icon clock trumpet
    uploads override overrides importer lexer reader holiday holidays
    clause clauses ifs grandmother grandfather bee bees kilogram kilograms gram centimetre
    metres metre
    zoom eyesight vendor-free loan loans spellings reminders tutoring beehive
    talk talks lecture-notes trips periods period targets target multiples pixels px kids opponent
    trailing posts post naming explanations periods stdout stderr syslog disk
    playbook playbooks inventory length lengths simulation simulations realm switch
    patch patches protagonist plotline recipe ingredient ingredients meal meals
    dinner lunch breakfast garden greenhouse bike bicycle car train flight flights trip trips hotel
    itinerary city country village room rooms house flat apartment drawer shelf lab
    experiment sensor sensors motor motors robot robots drone circuit voltage
    temperature pressure mass speed distance angle angles axis axes orbit galaxy telescope molecule
    protein genome species plant plants soil weather climate atlas sign signs deadline deadlines
    thesaurus song songs chord chords score scores lyrics melody album
    band orchestra choir rehearsal rehearsals concert concerts film scene scenes screenplay
    sprite sprites shader shaders mesh meshes quest quests player players npc
    syllabus grade grades pupil pupils exam curriculum semester course courses
    classroom lawn shop order orders product shipment catalogue
    carbohydrates vegetables fruit bread dough sauce soup customers customer
    secrets token tokens password passwords cookie cookies permission permissions auth
    authentication authorization csrf cors credentials firewall flow legal realm webhook webhooks
    simulator agents copy values value reset realm rate limiting limits policies
    random sessions bucket pool threads coroutine coroutines struct mutex lock locks
    handle handles refactorings refactoring update updates advice
    abbreviation abbreviations account-free acronym acronyms admin adr adrs agenda algorithm
    algorithms alias aliases alphabet ambition analyses analysis analytics anecdotes animation
    animations annotation annotations answer answers api apis app appendix application
    applications apps architecture argument arguments array arrays arrow arrows artefact
    artefacts article articles artifact artifacts assertion assertions asset assets async
    audience back back-end backend backends background backlog bar base batch batches benchmark
    benchmarks bibliography bin blog board boards body book bookmarks books brace braces bracket
    brackets branch branches breakpoint breakpoints broker brokers browser browsers bucket
    budget budget-free buffer bug build builder builds bullet bullets bundle bundler button
    buttons byte bytes cache caches cadence calendar camera caption captions card cards case
    cases catalog categories category cell cells certificate certificates changelog chapter
    character characters chart charts chat checklist checklists circuit citation citations class
    classes cli client clients clock cloud cluster clusters code codebase codebases codegen
    colleague colleagues collection collections color colors colour colours column columns comma
    command commands commas comment comments commit commits committer common company comparison
    comparisons compiler component components computer concept concepts condition conference
    config configs configuration configurations connection constant constants constructor
    container containers content contributors controller controllers controllers' convention
    conventions cookbook core counter coverage crate crates cron crontab currency current cursor
    customer-facing customers' cycle daemon dashboard dashboards data database databases dataset
    datasets date dates decimal decimals deck decks decorator decorators default defaults
    definition definitions delimiter delimiters demo demos dependencies dependency deployment
    deployments description descriptions design desk desktop dev developer developers
    development device devices diagram diagrams dialect dialogue dictionary diff diffs digest
    digits directories directory dish display distro doc docs docstring docstrings document
    documentation documents dog-eared domain domains draft drafts driver drivers dynamic e2e
    edge editor editors element elements else email emails emoji emojis encoding end-to-end
    ending endings endpoint endpoints engine engines english entities entity entry enum enums
    environment environments environments' equation equations error errors eslint essay essays
    estimate estimates event events exam example examples exams exception exceptions exercise
    exercises experiment experiments explanation explanations exponent export exports expression
    expressions extension extensions external fact factories factory facts favorite favourite
    feature features feed field fields figure figures file file's filename filenames files
    filter filters firmware fixture fixtures flag flags flashcards flow folder folders font
    fonts footer footnotes form format formats formatter formatting forms formula formulas
    fraction fractions framework frameworks front front-end frontend function functional
    functions furniture game games gateway gateway's generated generator generic generics genre
    git global glossary goods grammar graph graphs greeting greetings grid group groups guide
    guideline guidelines guides handbook handler handlers hardware header headers heading
    headings headline headlines height helper hobby home homelab homepage homework hook hooks
    host hosting hotfix house humor humour hyphen hyphens icon icons id identifier identifiers
    idiom idioms ids illustration illustrations image images implementation import imports
    indent indentation index indexes indices input inputs integer integers integration interface
    interfaces internal intro introduction issues item items jargon job jobs joke jokes journal
    json jupyter kernel key keybindings keyboard keymap keymaps keys keyword keywords kit
    kitchen kits label labels lambda landing language languages laptop layer layers layout
    layouts lecture legacy legend legends lesson lessons letter letters level levels lib
    librarian libraries library licence license line lines link links lint linter linters list
    lists literature load loader loaders local locale locale's locales lockfile log logger
    logging logic logs long loop machine machines macro macros magazine mail main makefile
    manager managers manifest manifests manuscript map mapping mappings margin margins markdown
    material materials math maths matrix measurement measurements meeting meetings member
    members memo memos menu menus merge message messages metaphor metaphors method methods
    metric metrics middleware migration migrations milestone minutes mobile mock mocks mode
    model models module modules monitor monitors monorepo motif mouse movie movies music name
    names namespace namespaces naming narrative nested network newline newlines newsletter node
    nodes notation note notebook notebooks notes notification nouns novel novels number numbers
    numerals object objects office offices offset operator option options orm os outline
    outlines output outputs overview owner owners package packages packaging packet page pages
    pagination paging palette panel paper papers paragraph paragraphs parameter parameters
    parser parsers part parts party passage passages path paths pattern patterns payload persona
    phone photo photos phrase phrases picture pictures pipeline pipelines pixel pixels
    placeholder plan plans platform platforms playlist playlists plot plots plugin plugins
    podcast poem poems poetry point points popups port portfolio ports preamble preference
    preferences preferred prefix prefixes presentation presentations primary printer processor
    prod product production products profile programme programming project project's projects
    pronoun pronouns pronunciation proof proofs prop property props prose protobuf protocol
    prototype prototypes public pull puzzle puzzles python quarter queries query queue queues
    quiz quizzes quote quotes rack rationale reading readme recap recipe recipes record records
    reference references region regions register relational release releases renderer renders
    replica replicas repo repo's report reports repos repositories repository representation
    request requests research resolution resource resources response responses retries
    retrospective return review reviews rhyme rhythm river roadmap role roles root route router
    routers routes row rows rule rules runner runners runtime safety sample samples scale
    scenario scenarios schedule schema schemas scheme school schooling science screen screens
    screenshot screenshots script script's scripts scss sdk search secondary section sections
    seed seeds semicolons sentence sentences sentinel separator separators serialisation
    serialization series server servers service services session sessions setting settings shape
    shard shards shared sheet shell shells shop short shortcut shortcuts sidebar signature silo
    site sites size sizes sketch slack slide slides slug slugs snapshot snapshots snippet
    snippets software source sources spacing sparkline spec specs speech spelling spreadsheet
    spreadsheets sprint sprints stack stage staging standard standards standup state statement
    statements states static status stdlib step steps storage store stores stories story
    storyboard stream streams string strings struct structs structure stub stubs student
    students style style's styles stylesheet subject subjects subpackage subset subtitles suffix
    suffixes suite suites summaries summary support symbol symbols synopsis syntax system
    systems tab table tables tabs tag tags takeaway takeaways target targets task tasks teacher
    teachers template templates tempo tense term terminal terminals terms test testing tests
    tests' text texts theme themes thesis thread threads thumbnail tick ticket tickets time
    timeline timeout timeouts timer times timestamp timestamps timezone title titles tone tool
    toolbar toolchain tooling tools tooltip tooltips topic topics trace traces transcript
    transcripts transition translation translations transport tree trees trivia tutorial
    tutorials type types typing typography typos ui unit units users' usual utilities ux
    validator value values variable variables vector vectors verb verbs version versioning
    versions video videos view viewer views virtualenv visual vocabulary voice volumes warehouse
    watch web webpage website websites whitespace widget widgets width wiki window windows word
    wording words workbook worker workers workflow workflows worksheets workspace workspaces
    wrapper wrappers writing yaml zone zones
""")
"""Things that facts are about."""

ROLES = words("""
    file
    author composer artist team pen notebook camera
    storage webserver edition msrv opponent monorepo-tool engine-version
    alphabet architecture backend base birthplace book branch broker brother browser build
    builder bundler cache calendar cat cd child children ci city client cluster cms codename
    color colour compiler convention conventions country course coverage currency database
    daughter day db default desktop device dialect diet directory distro dns-free docs
    documentation dog drink driver editor email-client employer encoding engine entry
    environment extension father field folder font food format formatter formatting framework
    frontend gateway genre goal guide height hobby home husband icon ide indent indentation
    instrument interpreter job keyboard kids language languages laptop length level library
    licence license limit linter locale location logger machine major manager model monitor
    mother music name names number orm os package pager partner pet phone platform port prefix
    printer processor profession project pronouns queue region registry repo repository
    resolution role root runner runtime scheduler schema school screen separator server shell
    sister size son spelling sport spouse stack store style style-guide stylesheet subject
    suffix suite system tab target team team's tense terminal theme time timeout timezone title
    tone tool toolchain topic town type ui unit units university version width wife window
    workspace zone
""")
"""What may be equated with something: the linter is ruff."""

KINDS = words("""
    grandmother grandfather beekeeper notary auditor judge pixel phone retiree widow
    multiple swimmer drummer lawyer scholar pupil employee freelancer nurse trainee veteran
    abstraction accountant actor adapter analyst android animator api app application apprentice
    architect article artist aspnet astronomer athlete author backend baker beginner biochemist
    biologist blogger bot botanist builder bundle carpenter cat chef chemist chess class cli
    client climber coach colleague collection command commuter compiled component composer
    config consultant container contractor cook copywriter crate cyclist daemon dancer dashboard
    data dataclass dba dentist dependency design designer developer devops dietitian director
    directory django doctor document dog ecologist economist editor educator electrician
    embedded engineer entrepreneur enum expert extension fan farmer file filmmaker firmware
    fisher fork founder framework freelancer frontend frozen full-stack fullstack function game
    gamedev gamer gardener generator geographer geologist go graduate graphic guitarist gymnast
    hash-map hiker historian hobby hobbyist homelab homeowner hybrid iOS illustrator indie
    instructor interface intern interpreter java javascript job journalist json juggler junior
    kotlin kubernetes language laptop laravel layer lecturer librarian library lightweight
    linguist list machinist maker manager mapping marine markdown mathematician mechanic
    mechanical meteorologist microservice middleware midwife migration mirrorless mobile mock
    model module monolith monorepo musician namespace night node notebook novelist novice nurse
    nutritionist open-source optician owner package painter parent parser pastry person
    pharmacist philologist philosopher photographer physician physicist physiotherapist pianist
    pilot pipeline plain plugin plumber poet polyglot port postdoc postgres potter producer
    product professor programmer progressive project protocol prototype psychologist pure python
    quantum react read-only reader recursive reference relational replica repo reporter
    repository researcher rest retired ruby runner rust sailor scientist screenwriter script
    sculptor sdk senior separate server service set shell simple singer single singleton site
    sleeper small sociologist source speaker speleologist sre standalone startup stateless
    static statistician string student subclass submodule subset suite symlink sysop table
    teacher technician template terminal test tester therapist thin thread timestamp tool
    toolkit translator tree tui tuple tutor two-person type typed typescript union unit
    university user utility ux value variable vegan vegetarian veterinarian view violinist
    virtual visual volunteer vue watchmaker weaver web website wiki workspace wrapper writer
    yaml
""")
"""What somebody or something may be said to be: a nurse, a monorepo."""

STATES = words("""
    complete runnable correct-case read-only optional-chained colour-blind hyphenated self-contained
    PascalCase UPPER_CASE adjacent allergic alphabetical alphabetically ambidextrous ascending
    async asynchronous backwards-compatible best bilingual blue camelCase camelcase capitalised
    case-insensitive case-sensitive chronological cold-brew colorblind colour-blind columnar
    compact concise consistent cross-platform dairy-free dark declarative descending
    deterministic dyslexic event-driven fluent formal framework-agnostic frozen functional
    generic gluten-free green hard hexagonal hierarchical horizontal idempotent immutable
    imperative informal interactive intolerant invariant kebab-case lactose-intolerant lazy
    left-aligned left-handed light line-based live local lower-case lowercase married metric
    modular monochrome multi-tenant multilingual native nearsighted new nocturnal non-blocking
    non-nullable nullable offline one-based optimistic orange ordered paginated parallel
    pascalcase pescatarian plain plural portrait purple reactive read-heavy recursive red
    relational relative remote responsive retired right-aligned right-handed semantic sequential
    serverless short singular snake_case soft sorted sparse square standalone stateless static
    strict symmetric synchronous tab-separated terse thread-safe trilingual type-safe typed
    ultra-wide unique upper-case uppercase valid vegan vegetarian vertical wide-screen
    write-heavy yellow zero-based zero-indexed
""")
"""What somebody or something may be said to be like."""

CALLED = words("""
    project repo repository app service library package team game tool
""")
"""What is followed by its name: project harbour."""

COUNTS = words("""
    one two three four five six seven eight nine ten twelve
""")
