"""The verbs of plain facts: what an ordinary preference, environment or convention says."""

from __future__ import annotations

from reviewdeck.policy.wordlist import words

TASTES = words("""
    appreciate appreciates dislike dislikes enjoy enjoys favors favours find finds hates like
    likes love loves prefer prefers want wants
""")
"""What somebody likes or wants."""

HABITS = words("""
    wrote built started studied worked graduated founded-nothing switched prepares focuses supports
    listens owns watches composes edits translates knits repairs restores swims surfs skis
    ask asks attends bakes benchmarks blogs brews builds calls codes collects communicates
    commutes cooks cycles deploys develops documents draws drinks drives eats follow follows
    grew grows has have hikes journals keeps learn learns live lives maintains measures meet
    meets moved names organises organizes owns paints plans play plays practices practises
    programs read reads refactors researches run runs sails sings sketches sleeps speak speaks
    spells streams studies study swims takes teach teaches tests thinks tracks trains travels
    types use uses volunteers wakes wears work works write writes
""")
"""What somebody does."""

WORKINGS = words("""
    mock mocks stub stubs
    carry carries
    focus focuses measures measure weighs weigh costs-nothing differ differs
    arrive arrives rejects reject opens open accepts-only proxies proxy becomes count counts
    draws loads load polls sends-nightly exports export imports import wakes sleeps scales scale
    loops loop passes pass splits split shares renders throws raises raise yields retries
    appear appears averages begin begins belong belongs build builds cache caches caps checks
    collect collects come comes compile compiles connect connects consists contain contains
    counts cover covers deals define defines depend depends describe describes display displays
    document documents emit emits end ends expire expires expose exposes extend extends fit fits
    follow follows formats generate generates get gets go goes group groups handle handles
    happen happens has have help helps hold holds implement implements includes index indexes
    inherit inherits keep keeps land lands lie lies list listen listens lists live lives logs
    look looks map maps match matches mirrors mix mixes need needs own owns parse parses point
    points process processes produce produces provide provides ranges read reads render renders
    require requires resides return returns rotate rotates run runs schedules serve serves share
    shares show shows sit sits sort sorts span spans speak speaks start starts stay stays store
    stores support supports take takes talks target targets triggers use used uses validates
    work works wrap wraps write writes
""")
"""What something does, which a fact may say of it."""

PARTICIPLES = words("""
    refreshed
    limited capped
    rewritten replaced-by ported extracted counted emitted fixed kept-up counted drafted encoded
    decoded queued batched throttled debounced memoised memoized mirrored-left sealed tuned
    abbreviated aligned annotated applied archived assigned audited based born built bumped
    bundled cached calculated called capitalised capitalized centered centred checked chunked
    closed collected colored coloured committed compiled composed compressed computed configured
    converted counted covered created cut declared defined deployed described designed developed
    displayed documented drafted drawn driven edited employed encrypted escaped-with estimated
    expected expired exported exposed expressed extracted fed fetched fluent formatted frozen
    generated given grouped handled hashed held held-in hosted implemented imported indented
    indexed injected installed interested isolated issued joined kept kept-in labeled labelled
    laid linked linted listed loaded located logged maintained managed mapped marked married
    measured merged minified mocked modeled modelled monitored mounted named nested numbered
    opened ordered organised organized owned packaged paginated parameterised parameterized
    parsed partitioned pinned pinned-to placed plotted powered preferred prefixed pressed
    printed processed produced protected provided published pulled put quoted raised read
    rebased recorded recreated registered released rendered renewed replicated required resized
    resolved-by restarted reviewed rotated rounded routed run salted sampled sanitised sanitized
    scanned scheduled secured seeded sent-by separated serialised serialized served set sharded
    shared shown signed sorted spaced spelled spelt split spread squared squashed stacked stored
    streamed structured stubbed suffixed synced tagged taken tested themed tracked trained
    translated transpiled triggered typed updated used validated vendored versioned visualised
    visualized wrapped written
""")
"""What has been done with something."""

DOINGS = words("""
    based building composing designing developing exploring knitting learning living majoring
    making migrating moving planning porting practicing practising preparing reading renovating
    renting researching restoring rewriting running studying taking teaching training
    translating using working writing
""")

STYLES = words("""
    annotate avoid capitalise capitalize document end format group indent keep name order prefer
    put quote separate sort spell start store structure use wrap write
""")
"""Verbs by which a convention about form is stated as an order."""

FILL = words("""
    not also all both mostly usually always being now still only currently
""")

WISHES = words("""
    stay be use avoid start end fit follow keep have learn read see work write get discuss
    talk understand think cook travel know try experiment listen speak explore compare draw
    practise practice sketch type paste-nothing plan focus group name format learn
""")

FORMS = words("""
    abbreviated aligned alphabetised based bulleted capitalised capitalized centred detailed fixed
    formatted grouped indented justified line-based listed needed numbered ordered related sorted
    spaced spelled spelt structured tailored translated typed used wrapped written
""")
"""How something is written, which somebody may want."""
