BEGIN IMMEDIATE;
CREATE TABLE batch (
    id TEXT NOT NULL,
    home TEXT NOT NULL,
    state TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER,
    settled BOOLEAN NOT NULL,
    epoch INTEGER DEFAULT '0' NOT NULL,
    lease_until INTEGER,
    worker TEXT DEFAULT '' NOT NULL,
    PRIMARY KEY (id)
);
CREATE TABLE blob (
    sha TEXT NOT NULL,
    data BLOB NOT NULL,
    base TEXT,
    head INTEGER,
    tail INTEGER,
    PRIMARY KEY (sha),
    FOREIGN KEY(base) REFERENCES blob (sha)
);
CREATE TABLE counter (
    home TEXT NOT NULL,
    state TEXT NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (home, state)
);
CREATE TABLE dirty (
    sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    home TEXT NOT NULL,
    proposal TEXT,
    text TEXT,
    UNIQUE (proposal)
);
CREATE TABLE event (
    position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    chain TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    at INTEGER NOT NULL,
    name TEXT NOT NULL,
    home TEXT NOT NULL,
    subject TEXT NOT NULL,
    actor TEXT NOT NULL,
    detail TEXT NOT NULL,
    previous TEXT NOT NULL,
    sha TEXT NOT NULL
);
CREATE TABLE home (
    id TEXT NOT NULL,
    stamp TEXT,
    round INTEGER DEFAULT '0' NOT NULL,
    inputs TEXT,
    PRIMARY KEY (id)
);
CREATE TABLE host (
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    problem TEXT DEFAULT '' NOT NULL,
    PRIMARY KEY (id)
);
CREATE TABLE likeness (
    sequence INTEGER NOT NULL,
    home TEXT NOT NULL,
    relation TEXT NOT NULL,
    sha TEXT NOT NULL,
    text TEXT NOT NULL,
    score FLOAT NOT NULL,
    "where" TEXT NOT NULL,
    exact BOOLEAN NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (sequence)
);
CREATE TABLE look (
    home TEXT NOT NULL,
    host TEXT NOT NULL,
    machine TEXT NOT NULL,
    at INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    sha TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (home)
);
CREATE TABLE observation (
    sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    home TEXT NOT NULL,
    path TEXT NOT NULL,
    revision TEXT NOT NULL,
    at INTEGER NOT NULL,
    cause TEXT NOT NULL,
    operation TEXT,
    proposal TEXT,
    actor TEXT NOT NULL,
    mode INTEGER
);
CREATE TABLE pin (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE place (
    home TEXT NOT NULL,
    path TEXT NOT NULL,
    number TEXT NOT NULL,
    mark TEXT NOT NULL,
    kind TEXT DEFAULT '' NOT NULL,
    host TEXT DEFAULT '' NOT NULL,
    PRIMARY KEY (home)
);
CREATE TABLE proposal (
    position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    home TEXT NOT NULL,
    source TEXT,
    source_id TEXT,
    kind TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    state TEXT NOT NULL,
    verdict TEXT,
    digest TEXT,
    origin TEXT NOT NULL,
    created_at INTEGER,
    ingested_at INTEGER NOT NULL,
    since INTEGER NOT NULL,
    payload_sha TEXT NOT NULL,
    reason TEXT NOT NULL,
    summary TEXT NOT NULL,
    findings TEXT NOT NULL,
    paths TEXT NOT NULL,
    body TEXT NOT NULL,
    evaluation_key TEXT,
    gist TEXT,
    subject TEXT,
    session TEXT,
    gravity INTEGER DEFAULT '0' NOT NULL,
    UNIQUE (id)
);
CREATE TABLE record (
    home TEXT NOT NULL,
    source TEXT NOT NULL,
    hint TEXT NOT NULL,
    proposal TEXT NOT NULL,
    done BOOLEAN NOT NULL,
    PRIMARY KEY (home, source)
);
CREATE TABLE review (
    sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    home TEXT NOT NULL,
    session TEXT NOT NULL,
    occasion TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER NOT NULL,
    ending TEXT NOT NULL,
    detail TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    is_routed BOOLEAN NOT NULL,
    prompts TEXT NOT NULL,
    iterations INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    cost FLOAT,
    shared FLOAT,
    saved_tokens INTEGER NOT NULL,
    denied TEXT NOT NULL,
    denied_count INTEGER NOT NULL,
    proposals TEXT NOT NULL,
    proposal_count INTEGER NOT NULL,
    UNIQUE (id)
);
CREATE TABLE seen (
    home TEXT NOT NULL,
    operator TEXT NOT NULL,
    path TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (home, operator, path)
);
CREATE TABLE subject (
    id INTEGER NOT NULL,
    home TEXT NOT NULL,
    relation TEXT NOT NULL,
    domain TEXT NOT NULL,
    place TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (id)
);
CREATE TABLE transcript (
    sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    home TEXT NOT NULL,
    session TEXT NOT NULL,
    parent TEXT,
    began TEXT NOT NULL,
    platform TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    UNIQUE (id)
);
CREATE TABLE batch_write (
    batch TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    path TEXT NOT NULL,
    "before" TEXT,
    "after" TEXT,
    mode INTEGER,
    tree TEXT,
    was_mode INTEGER,
    PRIMARY KEY (batch, ordinal),
    FOREIGN KEY(batch) REFERENCES batch (id),
    FOREIGN KEY("before") REFERENCES blob (sha),
    FOREIGN KEY("after") REFERENCES blob (sha)
);
CREATE TABLE decision (
    sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    proposal TEXT NOT NULL,
    verb TEXT NOT NULL,
    actor TEXT NOT NULL,
    at INTEGER NOT NULL,
    digest TEXT,
    reason TEXT NOT NULL,
    text_sha TEXT,
    batch TEXT,
    counter INTEGER,
    seal TEXT,
    policy TEXT DEFAULT '' NOT NULL,
    signer TEXT,
    UNIQUE (id),
    FOREIGN KEY(proposal) REFERENCES proposal (id)
);
CREATE TABLE draft (
    proposal TEXT NOT NULL,
    operator TEXT NOT NULL,
    home TEXT NOT NULL,
    verb TEXT NOT NULL,
    digest TEXT,
    at INTEGER NOT NULL,
    reason TEXT NOT NULL,
    text TEXT,
    document TEXT,
    PRIMARY KEY (proposal, operator),
    FOREIGN KEY(proposal) REFERENCES proposal (id)
);
CREATE TABLE judgement (
    proposal TEXT NOT NULL,
    policy TEXT NOT NULL,
    is_settled BOOLEAN NOT NULL,
    marks TEXT,
    body TEXT NOT NULL,
    PRIMARY KEY (proposal),
    FOREIGN KEY(proposal) REFERENCES proposal (id)
);
CREATE TABLE looking (
    operator TEXT NOT NULL,
    home TEXT NOT NULL,
    proposal TEXT NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (operator),
    FOREIGN KEY(proposal) REFERENCES proposal (id)
);
CREATE TABLE operation (
    sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    batch TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    home TEXT NOT NULL,
    proposal TEXT NOT NULL,
    claimed_from TEXT NOT NULL,
    actor TEXT NOT NULL,
    digest TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER,
    undoes TEXT,
    undone_by TEXT,
    settled BOOLEAN NOT NULL,
    effects TEXT NOT NULL,
    inverse TEXT NOT NULL,
    UNIQUE (id),
    FOREIGN KEY(batch) REFERENCES batch (id),
    FOREIGN KEY(proposal) REFERENCES proposal (id)
);
CREATE TABLE rescued (
    sequence INTEGER NOT NULL,
    batch TEXT NOT NULL,
    path TEXT NOT NULL,
    sha TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (sequence),
    FOREIGN KEY(batch) REFERENCES batch (id),
    FOREIGN KEY(sha) REFERENCES blob (sha)
);
CREATE TABLE term (
    term TEXT NOT NULL,
    subject INTEGER NOT NULL,
    PRIMARY KEY (term, subject),
    FOREIGN KEY(subject) REFERENCES subject (id) ON DELETE CASCADE
)
 WITHOUT ROWID;
CREATE TABLE turn (
    transcript INTEGER NOT NULL,
    number INTEGER NOT NULL,
    id TEXT,
    at INTEGER NOT NULL,
    messages TEXT NOT NULL,
    PRIMARY KEY (transcript, number),
    FOREIGN KEY(transcript) REFERENCES transcript (sequence)
);
CREATE TABLE errand (
    decision TEXT NOT NULL,
    home TEXT NOT NULL,
    digests TEXT NOT NULL,
    PRIMARY KEY (decision),
    FOREIGN KEY(decision) REFERENCES decision (id)
);
CREATE TABLE operation_change (
    operation TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    path TEXT NOT NULL,
    "before" TEXT NOT NULL,
    "after" TEXT NOT NULL,
    mode INTEGER,
    tree TEXT,
    was_mode INTEGER,
    PRIMARY KEY (operation, ordinal),
    FOREIGN KEY(operation) REFERENCES operation (id)
);
CREATE TABLE vote (
    decision TEXT NOT NULL,
    proposal TEXT NOT NULL,
    home TEXT NOT NULL,
    operator TEXT NOT NULL,
    verb TEXT NOT NULL,
    revisions TEXT NOT NULL,
    text TEXT,
    document TEXT,
    batch TEXT,
    ended BOOLEAN NOT NULL,
    PRIMARY KEY (decision),
    FOREIGN KEY(decision) REFERENCES decision (id),
    FOREIGN KEY(proposal) REFERENCES proposal (id)
);
CREATE INDEX batch_open ON batch (home) WHERE NOT settled;
CREATE INDEX decision_batch ON decision (batch) WHERE batch IS NOT NULL;
CREATE UNIQUE INDEX decision_counter ON decision (signer, counter);
CREATE INDEX dirty_home ON dirty (home, sequence);
CREATE INDEX errand_home ON errand (home);
CREATE UNIQUE INDEX event_line ON event (chain, sequence);
CREATE UNIQUE INDEX event_previous ON event (chain, previous);
CREATE INDEX ix_decision_proposal ON decision (proposal);
CREATE INDEX ix_operation_batch ON operation (batch);
CREATE INDEX ix_operation_proposal ON operation (proposal);
CREATE INDEX ix_rescued_batch ON rescued (batch);
CREATE UNIQUE INDEX likeness_text ON likeness (home, relation, sha);
CREATE INDEX observation_path ON observation (home, path, sequence);
CREATE INDEX operation_home ON operation (home, sequence);
CREATE INDEX operation_time ON operation (home, started_at);
CREATE INDEX operation_undoes ON operation (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX proposal_home ON proposal (home, state, position);
CREATE INDEX proposal_oldest ON proposal (home, since) WHERE state IN ('ready', 'conflict', 'dead', 'refused', 'quarantined', 'deferred', 'live');
CREATE INDEX proposal_source_id ON proposal (source_id);
CREATE INDEX proposal_state ON proposal (state, position);
CREATE INDEX record_done ON record (home) WHERE done;
CREATE INDEX record_proposal ON record (proposal);
CREATE INDEX review_home ON review (home, sequence);
CREATE INDEX subject_home ON subject (home, domain);
CREATE INDEX subject_place ON subject (place);
CREATE INDEX term_subject ON term (subject);
CREATE INDEX transcript_last ON transcript (last_at);
CREATE INDEX transcript_session ON transcript (session, sequence);
CREATE INDEX vote_batch ON vote (batch) WHERE batch IS NOT NULL;
CREATE INDEX vote_open ON vote (proposal) WHERE batch IS NULL AND NOT ended;
CREATE TRIGGER proposal_added AFTER INSERT ON proposal BEGIN
    INSERT INTO counter (home, state, amount) VALUES (NEW.home, NEW.state, 1)
        ON CONFLICT (home, state) DO UPDATE SET amount = amount + 1;
END;
CREATE TRIGGER proposal_moved AFTER UPDATE OF state, home ON proposal
WHEN OLD.state <> NEW.state OR OLD.home <> NEW.home BEGIN
    UPDATE counter SET amount = amount - 1 WHERE home = OLD.home AND state = OLD.state;
    INSERT INTO counter (home, state, amount) VALUES (NEW.home, NEW.state, 1)
        ON CONFLICT (home, state) DO UPDATE SET amount = amount + 1;
END;
CREATE TRIGGER proposal_removed AFTER DELETE ON proposal BEGIN
    UPDATE counter SET amount = amount - 1 WHERE home = OLD.home AND state = OLD.state;
END;
CREATE TRIGGER event_no_update BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER event_no_delete BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER event_in_order BEFORE INSERT ON event
WHEN NEW.sequence <= (SELECT max(sequence) FROM event WHERE chain = NEW.chain)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER record_follows AFTER UPDATE OF state ON proposal
WHEN (OLD.state IN ('applied', 'rejected')) <> (NEW.state IN ('applied', 'rejected')) BEGIN
    UPDATE record SET done = NEW.state IN ('applied', 'rejected') WHERE proposal = NEW.id;
END;
CREATE TRIGGER proposal_arrived AFTER INSERT ON proposal
WHEN NEW.state IN ('ready', 'conflict', 'dead', 'refused', 'deferred', 'live') BEGIN
    INSERT OR REPLACE INTO dirty (home, proposal) VALUES (NEW.home, NEW.id);
END;
CREATE TRIGGER proposal_dirty AFTER UPDATE OF state ON proposal
WHEN (OLD.state IN ('ready', 'conflict', 'dead', 'refused', 'deferred', 'live')) <> (NEW.state IN ('ready', 'conflict', 'dead', 'refused', 'deferred', 'live')) BEGIN
    INSERT OR REPLACE INTO dirty (home, proposal) VALUES (NEW.home, NEW.id);
END;
CREATE TRIGGER subject_remembered AFTER INSERT ON subject
WHEN NEW.relation <> 'pending' BEGIN
    INSERT INTO dirty (home, text) VALUES (NEW.home, NEW.text);
END;
CREATE TRIGGER subject_forgotten AFTER DELETE ON subject
WHEN OLD.relation <> 'pending' BEGIN
    INSERT INTO dirty (home, text) VALUES (OLD.home, OLD.text);
END;
CREATE TRIGGER proposal_moves BEFORE UPDATE OF state ON proposal
WHEN OLD.state <> NEW.state AND NOT ((OLD.state IN ('ready', 'conflict', 'dead', 'refused', 'quarantined', 'deferred', 'live') AND NEW.state IN ('ready', 'conflict', 'dead', 'refused', 'deferred', 'live')) OR (OLD.state IN ('ready', 'conflict', 'dead', 'refused', 'quarantined', 'deferred', 'live') AND NEW.state IN ('elsewhere')) OR (OLD.state IN ('elsewhere') AND NEW.state IN ('ready', 'quarantined')) OR (OLD.state IN ('ready', 'conflict', 'dead', 'refused', 'deferred', 'live') AND NEW.state IN ('deferred')) OR (OLD.state IN ('ready', 'conflict', 'dead', 'refused', 'quarantined', 'deferred', 'live', 'elsewhere', 'kept') AND NEW.state IN ('rejected')) OR (OLD.state IN ('ready', 'conflict', 'dead', 'refused', 'quarantined', 'deferred', 'live') AND NEW.state IN ('kept')) OR (OLD.state IN ('rejected', 'kept') AND NEW.state IN ('quarantined', 'live')) OR (OLD.state IN ('ready', 'conflict', 'dead', 'refused', 'deferred', 'live') AND NEW.state IN ('approved')) OR (OLD.state IN ('approved') AND NEW.state IN ('applying')) OR (OLD.state IN ('applying') AND NEW.state IN ('applied')) OR (OLD.state IN ('applying') AND NEW.state IN ('ready', 'conflict', 'dead', 'refused', 'deferred', 'live')) OR (OLD.state IN ('applied') AND NEW.state IN ('ready', 'rejected')) OR (OLD.state IN ('ready', 'conflict', 'dead', 'refused', 'deferred', 'live', 'rejected', 'elsewhere') AND NEW.state IN ('applied')))
BEGIN SELECT RAISE(ABORT, 'a proposal does not move like this'); END;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num));
INSERT INTO alembic_version (version_num) VALUES ('0025');
COMMIT;
