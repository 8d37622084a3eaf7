#!/bin/sh
# Lists what a migration would have to wait for.
exec psql -X -c 'select pid, mode, relation::regclass from pg_locks where not granted'
