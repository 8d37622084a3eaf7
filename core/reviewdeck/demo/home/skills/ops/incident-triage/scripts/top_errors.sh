#!/bin/sh
# The most frequent errors of the last quarter of an hour.
journalctl -u ferrytime --since -15min -p err -o cat | sort | uniq -c | sort -rn | head -20
