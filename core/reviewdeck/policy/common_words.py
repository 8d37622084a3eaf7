"""Words that are no names: what stands beside `package` or `library` without naming one."""

from __future__ import annotations

from reviewdeck.policy.wordlist import words

COMMON = words("""
    abbreviation abbreviations account-free acronym acronyms admin adr adrs advice agenda agents
    album algorithm algorithms alias aliases alphabet ambition analyses analysis analytics and
    anecdotes angle angles animation animations annotation annotations answer answers apartment
    api apis app appear appears appendix application applications apps architecture are argument
    arguments array arrays arrive arrives arrow arrows artefact artefacts article articles
    artifact artifacts assertion assertions asset assets async atlas audience auth authentication
    authorization averages axes axis back back-end backend backends background backlog band bar
    base batch batches becomes bee beehive been bees begin begins belong belongs benchmark
    benchmarks bibliography bicycle bike bin blog board boards body book bookmarks books boundary
    brace braces bracket brackets branch branches bread breakfast breakpoint breakpoints broker
    brokers browser browsers bucket budget budget-free buffer bug build builder builds built
    bullet bullets bundle bundler but button buttons byte bytes cache caches caching cadence
    calendar camera caps caption captions car carbohydrates card cards carries carry case cases
    catalog catalogue categories category cell cells centimetre certificate certificates changelog
    chapter character characters chart charts chat checklist checklists checks choir chord chords
    circuit citation citations city class classes classroom clause clauses cli client clients
    climate clock cloud cluster clusters code codebase codebases codegen colleague colleagues
    collect collection collections collects color colors colour colours column columns come comes
    comma command commands commas comment comments commit commits committer common company
    comparison comparisons compile compiler compiles component components computer concept
    concepts concert concerts condition conference config configs configuration configurations
    connect connection connects consists constant constants constructor contain container
    containers contains content contributors controller controllers controllers' convention
    conventions cookbook cookie cookies copy core coroutine coroutines cors count counter country
    counts course courses cover coverage covers crate crates credentials cron crontab csrf
    currency current curriculum cursor customer customer-facing customers customers' cycle daemon
    dashboard dashboards data database databases dataset datasets date dates deadline deadlines
    deals decimal decimals deck decks decorator decorators default defaults define defines
    definition definitions delimiter delimiters demo demos depend dependencies dependency depends
    deployment deployments describe describes description descriptions design desk desktop dev
    developer developers development device devices diagram diagrams dialect dialogue dictionary
    diff differ differs diffs digest digits dinner directories directory dish disk display
    displays distance distro doc docs docstring docstrings document documentation documents does
    dog-eared domain domains dough draft drafts drawer draws driver drivers drone dynamic e2e edge
    editor editors element elements else email emails emit emits emoji emojis encoding encryption
    end end-to-end ending endings endpoint endpoints ends engine engines english entities entity
    entry enum enums environment environments environments' equation equations error errors eslint
    essay essays estimate estimates event events exam example examples exams exception exceptions
    exercise exercises experiment experiments expire expires explanation explanations exponent
    export exports expose exposes expression expressions extend extends extension extensions
    external eyesight fact factories factory facts favorite favourite feature features feed field
    fields figure figures file file's filename filenames files film filter filters firewall
    firmware fit fits fixture fixtures flag flags flashcards flat flight flights flow focus
    focuses folder folders follow follows font fonts footer footnotes for form format formats
    formatter formatting forms formula formulas fraction fractions framework frameworks from front
    front-end frontend fruit function functional functions furniture galaxy game games garden
    gateway gateway's generate generated generates generator generic generics genome genre get
    gets git global glossary go goes goods grade grades gram grammar grandfather grandmother graph
    graphs greenhouse greeting greetings grid group groups guide guideline guidelines guides
    handbook handle handler handlers handles happen happens hardware has hashing have header
    headers heading headings headline headlines height help helper helps hint hints hobby hold
    holds holiday holidays home homelab homepage homework hook hooks host hosting hotel hotfix
    house humor humour hyphen hyphens icon icons id identifier identifiers idiom idioms ids ifs
    illustration illustrations image images implement implementation implements import importer
    imports includes indent indentation index indexes indices ingredient ingredients inherit
    inherits injection input inputs integer integers integration interface interfaces internal
    into intro introduction inventory issues item items itinerary jargon job jobs joke jokes
    journal json jupyter keep keeps kept kernel key keybindings keyboard keymap keymaps keys
    keyword keywords kids kilogram kilograms kit kitchen kits lab label labels lambda land landing
    lands language languages laptop lawn layer layers layout layouts lecture lecture-notes legacy
    legal legend legends length lengths lesson lessons letter letters level levels lexer lib
    librarian libraries library licence license lie lies limiter limiting limits line lines link
    links lint linter linters list listen listens lists literature live lives load loader loaders
    loads loan loans local locale locale's locales lock lockfile locks log logger logging logic
    logs long look looks loop loops lunch lyrics machine machines macro macros magazine mail main
    makefile manager managers manifest manifests manuscript map mapping mappings maps margin
    margins markdown marketplace mass match matches material materials math maths matrix meal
    meals measure measurement measurements measures meeting meetings melody member members memo
    memos menu menus merge mesh meshes message messages metaphor metaphors method methods metre
    metres metric metrics middleware migration migrations milestone minutes mirrors mix mixes
    mobile mock mocks mode model models module modules molecule monitor monitoring monitors
    monorepo motif motor motors mouse movie movies multiples music must mutex name named names
    namespace namespaces naming narrative need needs nested network newline newlines newsletter
    newspaper newspapers node nodes not notation note notebook notebooks notes notification nouns
    novel novels npc number numbers numerals object objects office offices offset only open opens
    operator opponent option options orbit orchestra order orders orm os outline outlines output
    outputs over override overrides overview own owner owners owns package packages packaging
    packet page pages pagination paging palette panel paper papers paragraph paragraphs parameter
    parameters parse parser parsers parses part parts party pass passage passages passes password
    passwords patch patches path paths pattern patterns payload per period periods permission
    permissions persona phone photo photos phrase phrases picture pictures pinning pins pipeline
    pipelines pixel pixels placeholder plan plans plant plants platform platforms playbook
    playbooks player players playlist playlists plot plotline plots plugin plugins podcast poem
    poems poetry point points policies polls pool popups port portfolio ports post posts preamble
    preference preferences preferred prefix prefixes presentation presentations pressure primary
    printer process processes processor prod produce produces product production products profile
    programme programming project project's projects pronoun pronouns pronunciation proof proofs
    prop property props prose protagonist protection protein protobuf protocol prototype
    prototypes provide provides proxies proxy public pull pupil pupils puzzle puzzles px python
    quarter queries query quest quests queue queues quiz quizzes quote quotes rack raise raises
    random ranges rate rationale read reader reading readme reads realm recap recipe recipes
    record records refactoring refactorings reference references region regions register
    registries registry rehearsal rehearsals reject rejects relational release releases reminders
    render renderer renders replica replicas repo repo's report reports repos repositories
    repository representation request requests require requires research reset resides resolution
    resource resources response responses retries retrospective return returns review reviews
    rhyme rhythm river roadmap robot robots role roles room rooms root rotate rotates route router
    routers routes routing row rows rule rules run runner runners runs runtime safety sample
    samples sauce scale scales scenario scenarios scene scenes schedule schedules schema schemas
    scheme school schooling science scope score scores screen screenplay screens screenshot
    screenshots script script's scripts scss sdk search secondary secrets section sections seed
    seeds semester semicolons sensor sensors sentence sentences sentinel separator separators
    serialisation serialization series serve server servers serves service services session
    sessions sets setting settings shader shaders shape shard shards share shared shares sheet
    shelf shell shells shipment shop short shortcut shortcuts should show shows sidebar sign
    signature signs silo simulation simulations simulator sit site sites sits size sizes sketch
    slack sleeps slide slides slug slugs snapshot snapshots snippet snippets software soil song
    songs sort sorts soup source sources spacing span spans sparkline speak speaks spec species
    specs speech speed spelling spellings split splits spreadsheet spreadsheets sprint sprints
    sprite sprites stack stage staging standard standards standup start starts state statement
    statements states static status stay stays stderr stdlib stdout step steps storage store
    stores stories story storyboard stream streams string strings struct structs structure
    structures stub stubs student students style style's styles stylesheet subject subjects
    subpackage subset subtitles suffix suffixes suite suites summaries summary support supports
    switch syllabus symbol symbols synopsis syntax syslog system systems tab table tables tabs tag
    tags take takeaway takeaways takes talk talks target targets task tasks teacher teachers
    telescope temperature template templates tempo tense term terminal terminals terms test
    testing tests tests' text texts that the them theme themes thesaurus thesis they this thread
    threads throws thumbnail tick ticket tickets time timeline timeout timeouts timer times
    timestamp timestamps timezone title titles token tokens tone tool toolbar toolchain tooling
    tools tooltip tooltips topic topics trace traces trackball trailing train transcript
    transcripts transition translation translations transport tree trees triggers trip trips
    trivia trumpet tutorial tutorials tutoring type types typing typography typos ui under unit
    units update updates upgrade upgrades uploads use used users' uses usual utilities ux
    validates validator value values variable variables vector vectors vegetables vendor-free verb
    verbs version versioning versions via video videos view viewer views village virtualenv visual
    vocabulary voice voltage volumes wakes warehouse watch weather web webhook webhooks webpage
    website websites weigh weighs were where which whitespace widget widgets width wiki window
    windows with word wording words work workbook worker workers workflow workflows works
    worksheets workspace workspaces wrap wrapper wrappers wraps write writes writing yaml yields
    zone zones zoom
""")
