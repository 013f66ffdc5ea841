#!/bin/sh
# nightly.sh IN OUT: runs over the archives in IN; the run directory is OUT/DAY.
#
# Environment: DEHUSK (the program), DEHUSK_CONFIG (a configuration file), DEHUSK_METRICS (a file for Prometheus), DAY.
# It can be started again at any time: an unfinished run goes on, and a finished one is left as it is.
set -u
if [ $# -ne 2 ]; then
  echo "usage: nightly.sh IN OUT" >&2
  exit 2
fi
in=$1
out=$2
directory=$out/${DAY:-$(date -u +%F)}

if [ ! -d "$in" ]; then
  echo "nightly: there is no folder $in" >&2
  exit 1
fi
# The folder and the archives may be links. What dehusk cannot read it reports itself, but only if there is something to run over.
found=$(find -L "$in/" -type f ! -name '.*') || [ -n "$found" ] || exit 1
if [ -z "$found" ]; then
  echo "nightly: $in is empty, there is nothing to do" >&2
  exit 0
fi
mkdir -p "$out" || exit 1

set -- run "$in" -o "$directory" --quiet
[ -n "${DEHUSK_CONFIG:-}" ] && set -- "$@" --config "$DEHUSK_CONFIG"
[ -n "${DEHUSK_METRICS:-}" ] && set -- "$@" --metrics "$DEHUSK_METRICS"
# A stop is passed on, and the script waits until dehusk has closed its account. A terminal tells dehusk of Ctrl-C itself.
stopped=
trap 'stopped=yes; kill -TERM "$!"' TERM
trap 'stopped=yes' INT HUP
"${DEHUSK:-dehusk}" "$@" &
wait "$!"
status=$?
# A signal ends the wait, not dehusk. 127: the first wait has told its status already.
while [ -n "$stopped" ]; do
  stopped=
  wait "$!"
  again=$?
  [ "$again" -eq 127 ] || status=$again
done
trap - TERM INT HUP

# What is said on standard error goes to the journal, or to the mail of cron.
if [ "$status" -eq 3 ]; then
  echo "nightly: records failed or bytes were skipped, by reason:" >&2
  sed -n 's/.*"reason":"\([a-z0-9_]*\)".*/  \1/p' "$directory/failed.jsonl" | sort | uniq -c >&2
  echo "nightly: see $directory/failed.jsonl and report.html" >&2
elif [ "$status" -ne 0 ]; then
  echo "nightly: dehusk ended with status $status; see $directory/run.json" >&2
fi
exit "$status"
