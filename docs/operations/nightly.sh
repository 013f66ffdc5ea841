#!/bin/sh
# nightly.sh IN OUT [OPTION...]: reads the new archives in IN into the run directory OUT/DAY. Options are those of `dehusk run`.
#
# IN is a folder that may grow, an @list or an address. An archive that an earlier night has finished is not read again, unless
# its file has changed.
#
# Environment: DEHUSK (the program), DEHUSK_CONFIG (a configuration file), DEHUSK_METRICS (a file for Prometheus), DAY.
# You can start it again at any time: an unfinished run continues, and a finished one adds the archives that have arrived since.
set -u
if [ $# -lt 2 ]; then
  echo "usage: nightly.sh IN OUT [OPTION...]" >&2
  exit 2
fi
in=$1
out=$2
shift 2
# Archives are known by their names from night to night, so these must not depend on the current folder.
case $in in
  /* | @* | *://*) ;;
  *) in=$PWD/$in ;;
esac
# So `in`, `./in` and `in/` are one folder.
[ -d "$in" ] && in=$(cd "$in" && pwd)
program=${DEHUSK:-dehusk}
command -v "$program" >/dev/null || {
  echo "nightly: “$program” cannot be run; set DEHUSK to its path" >&2
  exit 127
}
mkdir -p "$out" || exit 1

directory=$out/${DAY:-$(date -u +%F)}
# A night that was cut short is finished first, with the archives that have arrived since. The keys of the run itself have two blanks.
for report in "$out"/*/run.json; do
  if [ -f "$report" ] && ! grep -q '^  "state": "complete"' "$report"; then
    directory=${report%/run.json}
    echo "nightly: going on with $directory, which is not finished" >&2
    break
  fi
done

set -- run "$in" -o "$directory" --only-new "$out" --quiet "$@"
[ -n "${DEHUSK_CONFIG:-}" ] && set -- "$@" --config "$DEHUSK_CONFIG"
[ -n "${DEHUSK_METRICS:-}" ] && set -- "$@" --metrics "$DEHUSK_METRICS"
# The script passes a stop on, and waits until dehusk has written its account. A terminal sends Ctrl-C to dehusk itself.
stopped=
trap 'stopped=yes; kill -TERM "$!"' TERM
trap 'stopped=yes' INT HUP
"$program" "$@" &
wait "$!"
status=$?
# A signal ends the wait, not dehusk. 127: the first wait has already returned the status.
while [ -n "$stopped" ]; do
  stopped=
  wait "$!"
  again=$?
  [ "$again" -eq 127 ] || status=$again
done
trap - TERM INT HUP

# Standard error goes to the journal, or to the mail of cron.
if [ "$status" -eq 3 ]; then
  echo "nightly: records failed or bytes were skipped, by reason:" >&2
  sed -n 's/.*"reason":"\([a-z0-9_]*\)".*/  \1/p' "$directory/failed.jsonl" | sort | uniq -c >&2
  echo "nightly: see $directory/failed.jsonl and report.html" >&2
elif [ "$status" -ne 0 ]; then
  # A refused run has no account.
  see=
  [ -f "$directory/run.json" ] && see="; see $directory/run.json"
  echo "nightly: dehusk ended with status $status$see" >&2
fi
exit "$status"
