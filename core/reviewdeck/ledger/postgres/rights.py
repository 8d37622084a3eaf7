"""Who may do what in a hub: the rights of hosts and of operators, in PostgreSQL's own terms.

A program connects under a role of its own, and that role is a member: one host or one operator.
Tables are granted to two group roles; of their rows a host has those of its homes, and an operator
all but others' drafts and marks. Who somebody is follows from `session_user`, which no program can
set, and never from a setting. `@` stands for the schema.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Table

from reviewdeck.ledger.audit import PURGE
from reviewdeck.ledger.list_sql import among
from reviewdeck.ledger.postgres.faults import MACHINE_POLICY, OF_ANOTHER
from reviewdeck.ledger.postgres.guards import function, trigger
from reviewdeck.ledger.tables import METADATA
from reviewdeck.model.decisions import CHECKPOINT, DIVIDES, PINNED, Verb
from reviewdeck.model.states import OPEN_STATES, State

MEMBERS: Final = """
    CREATE TABLE IF NOT EXISTS @.member (
        role TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('host', 'operator')),
        name TEXT COLLATE "C" NOT NULL CHECK (name ~ '^[A-Za-z0-9._@-]{1,63}$'),
        host TEXT COLLATE "C" UNIQUE,
        UNIQUE (kind, name)
    )
"""
"""Roles of the server, and who each is. A host has its machine's id from its first home on."""
KEYS: Final = """
    CREATE TABLE IF NOT EXISTS @.member_key (
        key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        role TEXT COLLATE "C" NOT NULL REFERENCES @.member (role) ON DELETE CASCADE
    )
"""
"""The keys with which operators signed, each of one operator alone."""
_FINAL_ROWS: Final = frozenset(
    {"blob", "decision", "event", "operation_change", "batch_write", "rescued", "review"}
)
"""Tables whose rows no member changes or removes."""
_BY_TRIGGERS: Final = frozenset({"counter"})
"""Tables that only triggers write."""
_KEPT_ROWS: Final = frozenset(
    {"proposal", "batch", "operation", "place", "pin", "home", "host", "vote"}
)
"""Tables whose rows members change and never remove."""
_OF_EVERYBODY: Final = frozenset({"blob", "place", "pin", "host"})
"""Tables of which every member reads every row."""
_VOTES: Final = "vote"
"""Operators give them in their own names, and everybody reads them."""
_PERSONAL: Final = frozenset({"draft", "seen"})
"""Tables whose rows are one operator's."""
_OF_MACHINES: Final = {
    "host": "@.is_own_host(id)",
    "look": "EXISTS (SELECT FROM @.place WHERE place.home = look.home"
    " AND @.is_own_host(place.host))",
}
"""Tables whose rows tell of a machine, by when it is the writer's own."""
_REACHED_BY: Final = {
    "judgement": "proposal.id = judgement.proposal",
    "decision": "proposal.id = decision.proposal",
    "operation_change": "operation.id = operation_change.operation",
    "batch_write": "batch.id = batch_write.batch",
    "rescued": "batch.id = rescued.batch",
    "term": "subject.id = term.subject",
    "turn": "transcript.sequence = turn.transcript",
}
"""By table without a home, the row that says whose it is."""

_DECIDED: Final = frozenset({State.APPROVED, State.REJECTED, State.KEPT, State.DEFERRED})
_ENDINGS: Final = ("abandon", "elsewhere", "finish", "rescue", "returned", "settle")
"""Lines about what somebody decided, by whoever carries it out."""
_DECISIONS: Final = tuple(sorted({verb.value for verb in Verb} | {"begin"}))
_OPERATORS_ALONE: Final = tuple(sorted({*DIVIDES, PURGE, "repair", "note", "mark"}))


_BOTH: Final = "@_host, @_operator"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names)


_KIND: Final = """
    CREATE OR REPLACE FUNCTION @.member_kind() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS
    $$ SELECT kind FROM @.member WHERE role = session_user $$
"""
_NAME: Final = """
    CREATE OR REPLACE FUNCTION @.member_name() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS
    $$ SELECT name FROM @.member WHERE role = session_user $$
"""
_HOMES: Final = """
    CREATE OR REPLACE FUNCTION @.member_homes() RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS
    $$ SELECT array_agg(place.home) FROM @.place JOIN @.member ON place.host = member.host
        WHERE member.role = session_user AND member.kind = 'host' AND member.host > '' $$
"""
_JSON_TEXT: Final = r"""
    CREATE OR REPLACE FUNCTION @.json_text(cell text) RETURNS text LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog, pg_temp AS $$
        SELECT CASE WHEN cell ~ '^[] !#-[^-~]*$' THEN '"' || cell || '"' ELSE (
            SELECT '"' || coalesce(string_agg(CASE
                WHEN length(c) = 5 THEN '\u' || right(c, 4)
                WHEN c IN ('"', '\') THEN '\' || c
                WHEN c = E'\n' THEN '\n' WHEN c = E'\r' THEN '\r' WHEN c = E'\t' THEN '\t'
                WHEN c = E'\b' THEN '\b' WHEN c = E'\f' THEN '\f'
                WHEN ascii(c) BETWEEN 32 AND 126 THEN c
                WHEN ascii(c) < 65536 THEN '\u' || lpad(to_hex(ascii(c)), 4, '0')
                ELSE '\u' || to_hex(55296 + (ascii(c) - 65536) / 1024)
                    || '\u' || to_hex(56320 + (ascii(c) - 65536) % 1024)
            END, '' ORDER BY n), '') || '"'
            FROM regexp_matches(cell, E'\uFDD0[0-9a-f]{4}|.', 'g') WITH ORDINALITY AS parts(m, n),
                LATERAL (SELECT m[1] AS c) AS part
        ) END
    $$
"""
"""A stored text as the log's checksums spell it: as JSON in ASCII, its odd characters restored."""
_LINE_SUM: Final = """
    CREATE OR REPLACE FUNCTION @.line_sum(line @.event) RETURNS text LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog, pg_temp AS $$
        SELECT encode(sha256(convert_to(
            line.previous || '{"actor":' || line.actor || ',"at":' || line.at || ',"detail":'
            || line.detail || ',"home":' || @.json_text(line.home) || ',"name":'
            || @.json_text(line.name) || ',"previous":"' || line.previous || '","sequence":'
            || line.sequence || ',"subject":' || @.json_text(line.subject) || '}', 'UTF8')), 'hex')
    $$
"""
_ACTOR_FIELD: Final = r"""
    CREATE OR REPLACE FUNCTION @.actor_field(actor text, field text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    DECLARE amount integer; cell text;
    BEGIN
        SELECT count(*), max(value::text) INTO amount, cell
            FROM json_each(actor::json) WHERE key = field;
        IF amount = 1 AND cell ~ '^"[] !#-[^-~]*"$' THEN
            RETURN trim('"' FROM cell);
        END IF;
        RETURN NULL;
    EXCEPTION WHEN data_exception THEN
        RETURN NULL;
    END $$
"""
"""A field of an actor; NULL where two readers of its JSON could differ about it."""
_IS_OWN: Final = """
    CREATE OR REPLACE FUNCTION @.is_own_actor(actor text) RETURNS boolean
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
        SELECT (@.actor_field(actor, 'kind') IN ('policy', 'outside')
            OR @.member_kind() = 'operator' AND @.actor_field(actor, 'kind') = 'operator'
            AND @.actor_field(actor, 'name') = @.member_name()) IS TRUE
    $$
"""
_IS_OWN_HOST: Final = """
    CREATE OR REPLACE FUNCTION @.is_own_host(id text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        IF @.member_kind() = 'operator' THEN
            RETURN NOT EXISTS (SELECT FROM @.member WHERE host = id);
        END IF;
        UPDATE @.member SET host = id WHERE role = session_user AND host IS NULL AND id > ''
            AND NOT EXISTS (SELECT FROM @.place WHERE place.host = id);
        RETURN EXISTS (SELECT FROM @.member WHERE role = session_user AND host = id);
    END $$
"""
"""Whether a member may write what is of this machine. A host's first one is its own for ever."""
_PLACED: Final = f"""
    IF @.member_kind() IS NOT NULL AND NOT (@.is_own_host(NEW.host)
            AND (TG_OP = 'INSERT' OR OLD.host = '' OR @.is_own_host(OLD.host))) THEN
        RAISE insufficient_privilege USING MESSAGE = '{OF_ANOTHER}';
    END IF;
    RETURN NEW;
"""
_DECISION: Final = """
    IF kind IS NULL THEN
        RETURN NEW;
    END IF;
    IF NOT @.is_own_actor(NEW.actor) THEN
        RAISE insufficient_privilege USING MESSAGE = 'a member decides in its own name alone';
    END IF;
    IF kind = 'host' AND (NEW.signer IS NOT NULL OR NEW.counter IS NOT NULL
            OR coalesce(NEW.seal, 'null') <> 'null') THEN
        RAISE insufficient_privilege USING MESSAGE = 'a host signs no decision';
    END IF;
    IF NEW.signer IS NOT NULL THEN
        INSERT INTO @.member_key (key, role) VALUES (NEW.signer, session_user)
            ON CONFLICT (key) DO NOTHING;
        IF NOT EXISTS (
            SELECT FROM @.member_key WHERE key = NEW.signer AND role = session_user
        ) THEN
            RAISE insufficient_privilege USING MESSAGE = 'this key is of another operator';
        END IF;
    END IF;
    RETURN NEW;
"""
_MOVED: Final = """
    IF @.member_kind() = 'host' AND NOT EXISTS (
        SELECT FROM @.decision WHERE proposal = NEW.id AND xmin = pg_current_xact_id()::xid
    ) THEN
        RAISE insufficient_privilege USING MESSAGE = 'a host decides nothing by itself';
    END IF;
    RETURN NULL;
"""
_LINES: Final = f"""
    IF kind IS NULL THEN
        RETURN NULL;
    END IF;
    IF EXISTS (SELECT FROM added WHERE @.line_sum(ROW (added.*)::@.event) <> sha) OR EXISTS (
        SELECT FROM added WHERE NOT (sequence = 1 AND previous = '') AND NOT EXISTS (
            SELECT FROM @.event WHERE event.chain = added.chain
            AND event.sequence = added.sequence - 1 AND event.sha = added.previous)
    ) OR EXISTS (SELECT FROM added WHERE chain <> home) THEN
        RAISE insufficient_privilege USING MESSAGE = 'this is not the next line of the log';
    END IF;
    IF EXISTS (
        SELECT FROM added WHERE NOT (@.is_own_actor(actor) OR name IN ({_listed(_ENDINGS)}))
    ) OR kind = 'host' AND EXISTS (
        SELECT FROM added WHERE name IN ({_listed(_OPERATORS_ALONE)})
        OR (name IN ({_listed(_DECISIONS)}) AND @.actor_field(actor, 'kind') <> 'policy')
        OR (chain = '' AND NOT @.is_hosts_line(name, detail))
    ) THEN
        RAISE insufficient_privilege USING MESSAGE = 'a member writes in its own name alone';
    END IF;
    RETURN NULL;
"""  # noqa: S608 - constant names
_HOSTS_LINE: Final = f"""
    CREATE OR REPLACE FUNCTION @.is_hosts_line(name text, detail text) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        IF name = '{CHECKPOINT}' THEN
            RETURN detail = (
                SELECT '{{"heads":{{' || string_agg(@.json_text(key) || ':[' || event.sequence
                    || ',"' || event.sha || '"]', ',' ORDER BY key COLLATE "C") || '}}}}'
                FROM json_each(detail::json -> 'heads') AS head JOIN @.event
                ON event.chain = head.key AND event.sequence = (head.value ->> 0)::bigint
            );
        END IF;
        RETURN name LIKE '{PINNED}%' AND @.is_hosts_pin(substr(name, {len(PINNED) + 1}))
            AND detail = '{{"value":' || @.json_text(detail::json ->> 'value') || '}}';
    EXCEPTION WHEN data_exception THEN
        RETURN FALSE;
    END $$
"""  # noqa: S608 - constant names
"""Whether a host may add this line to the ledger's own chain: a true checkpoint, or its own pin."""
_HOSTS_PIN: Final = """
    CREATE OR REPLACE FUNCTION @.is_hosts_pin(pin text) RETURNS boolean
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
        SELECT pin LIKE '%:%' AND substr(pin, position(':' IN pin) + 1) = ANY (@.member_homes())
    $$
"""
_WITH_KIND: Final = "DECLARE kind text := @.member_kind();\n"


def groups(schema: str) -> tuple[str, str]:
    """The roles to which a ledger's tables are granted: those of hosts and of operators."""
    return f"{schema}_host", f"{schema}_operator"


def rights() -> tuple[str, ...]:
    """The statements that make functions, policies and grants, again where they are there."""
    return (*_functions(), *_grants())


def _functions() -> tuple[str, ...]:
    each = "FOR EACH ROW EXECUTE FUNCTION @."
    return (
        *(MEMBERS, KEYS, _KIND, _NAME, _HOMES, _JSON_TEXT, _LINE_SUM, _ACTOR_FIELD),
        *(_IS_OWN, _IS_OWN_HOST, _HOSTS_PIN, _HOSTS_LINE),
        function("place_of_member()", _PLACED),
        f"CREATE OR REPLACE TRIGGER place_of_member BEFORE INSERT OR UPDATE ON @.place"
        f" {each}place_of_member()",
        function("decision_of_member()", _DECISION, declared=_WITH_KIND),
        "CREATE OR REPLACE TRIGGER decision_of_member BEFORE INSERT ON @.decision"
        f" {each}decision_of_member()",
        function("move_of_member()", _MOVED),
        "DROP TRIGGER IF EXISTS move_of_member ON @.proposal",
        # At the end of the transaction: the state changes before the decision is stored.
        "CREATE CONSTRAINT TRIGGER move_of_member AFTER UPDATE ON @.proposal"
        " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.state <> NEW.state"
        f" AND OLD.state <> 'applied' AND NEW.{among(_DECIDED)})"
        " EXECUTE FUNCTION @.move_of_member()",
        function("lines_of_member()", _LINES, declared=_WITH_KIND),
        trigger("lines_of_member", "AFTER INSERT ON @.event"),
    )


def _grants() -> tuple[str, ...]:
    called = "member_kind(), @.member_name(), @.member_homes(), @.is_own_host(text)"
    called += ", @.is_hosts_pin(text), @.clock_micros()"
    statements = [
        "REVOKE ALL ON ALL TABLES IN SCHEMA @ FROM PUBLIC, @_host, @_operator",
        "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA @ FROM PUBLIC, @_host, @_operator",
        f"GRANT USAGE ON SCHEMA @ TO {_BOTH}",
        f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA @ TO {_BOTH}",
        f"GRANT EXECUTE ON FUNCTION @.{called} TO {_BOTH}",
        f"GRANT SELECT ON @.alembic_version, @.skew TO {_BOTH}",
    ]
    for table in METADATA.sorted_tables:
        statements += _granted(table)
        statements += _policies(table)
    return tuple(statements)


def _granted(table: Table) -> list[str]:
    name = table.name
    if name in _PERSONAL:
        # Of a draft a host learns that there is one and whose, not what it says.
        read = "(proposal, operator, home), DELETE" if name == "draft" else ""
        mine = f"GRANT SELECT, INSERT, UPDATE, DELETE ON @.{name} TO @_operator"
        return [mine, f"GRANT SELECT {read} ON @.{name} TO @_host"]
    granted = [f"GRANT SELECT ON @.{name} TO {_BOTH}"]
    if name in _BY_TRIGGERS:
        return granted
    writers = "@_operator" if name == _VOTES else _BOTH
    # Whoever gave a number itself could put a row before those that are there.
    given = [column.name for column in table.columns if column is not table.autoincrement_column]
    granted.append(f"GRANT INSERT ({_quoted(given)}) ON @.{name} TO {writers}")
    if name not in _FINAL_ROWS:
        fixed = {"position", "id", "home"} if name == "proposal" else set()
        changed = [column.name for column in table.columns if column.name not in fixed]
        granted.append(f"GRANT UPDATE ({_quoted(changed)}) ON @.{name} TO {writers}")
        if name not in _KEPT_ROWS:
            granted.append(f"GRANT DELETE ON @.{name} TO {_BOTH}")
    return granted


def _policies(table: Table) -> list[str]:
    name = table.name
    policies = {
        "of_host": f"TO @_host USING ({_of_host(table)})",
        "of_operator": "TO @_operator USING (TRUE)",
    }
    if name in _PERSONAL:
        me = "(SELECT @.member_name())"
        policies["of_operator"] = (
            f"TO @_operator USING (operator IN ({me}, '')) WITH CHECK (operator = {me})"
        )
    elif name == "pin":
        policies["of_host"] += " WITH CHECK (@.is_hosts_pin(name))"
        policies["host_changes"] = (
            "AS RESTRICTIVE FOR UPDATE TO @_host USING (@.is_hosts_pin(name))"
        )
    elif name == _VOTES:
        policies["own_vote"] = (
            "AS RESTRICTIVE FOR INSERT TO @_operator WITH CHECK (operator = @.member_name())"
        )
    elif name in _OF_MACHINES:
        own = _OF_MACHINES[name]
        policies[f"{MACHINE_POLICY}adds"] = (
            f"AS RESTRICTIVE FOR INSERT TO {_BOTH} WITH CHECK ({own})"
        )
        policies[f"{MACHINE_POLICY}changes"] = f"AS RESTRICTIVE FOR UPDATE TO {_BOTH} USING ({own})"
        policies[f"{MACHINE_POLICY}removes"] = f"AS RESTRICTIVE FOR DELETE TO {_BOTH} USING ({own})"
    elif name == "proposal":
        policies["arrives_open"] = (
            f"AS RESTRICTIVE FOR INSERT TO {_BOTH} WITH CHECK ({among(OPEN_STATES)})"
        )
    statements = [f"ALTER TABLE @.{name} ENABLE ROW LEVEL SECURITY"]
    for policy, what in policies.items():
        statements.append(f"DROP POLICY IF EXISTS {policy} ON @.{name}")
        statements.append(f"CREATE POLICY {policy} ON @.{name} {what}")
    return statements


def _of_host(table: Table) -> str:
    """The condition that a row is one of a host's."""
    homes, name = "ANY ((SELECT @.member_homes())::text[])", table.name
    if name in _OF_EVERYBODY:
        return "TRUE"
    if name == "event":
        return f"chain = '' OR chain = {homes}"
    if name == "home":
        # Its row is locked before its place is known.
        fresh = "NOT EXISTS (SELECT FROM @.place WHERE place.home = home.id)"
        return f"id = '' OR id = {homes} OR {fresh}"
    if "home" in table.columns:
        return f"home = {homes}"
    if name not in _REACHED_BY:
        raise LookupError(f"it is not said whose the rows of {name} are")
    parent = _REACHED_BY[name]
    return f"EXISTS (SELECT FROM @.{parent.partition('.')[0]} WHERE {parent})"


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
