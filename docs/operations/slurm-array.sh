#!/bin/sh
#SBATCH --job-name=dehusk
#SBATCH --array=1-16
#SBATCH --cpus-per-task=8
#SBATCH --mem=8G
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
# slurm-array.sh LIST OUT: every task of the array runs over its share of the archives in LIST, into OUT/part-N.
#
# Each archive falls to one task, as long as the list and the number of tasks stay the same. A task that was requeued goes on
# where it stopped. Environment: DEHUSK (the program), DEHUSK_CONFIG (a configuration file).
set -u
list=$1
out=$2
task=${SLURM_ARRAY_TASK_ID:?not a task of an array}
first=${SLURM_ARRAY_TASK_MIN:-1}
count=${SLURM_ARRAY_TASK_COUNT:?not a task of an array}
mkdir -p "$out" || exit 1

mine=$out/part-$task.txt
awk -v part="$((task - first))" -v parts="$count" \
  'NF && !/^#/ { if (n++ % parts == part) print }' "$list" >"$mine.new" && mv "$mine.new" "$mine" || exit 1
if [ ! -s "$mine" ]; then
  echo "slurm-array: no archive falls to task $task" >&2
  exit 0
fi

set -- run "@$mine" -o "$out/part-$task" --threads "${SLURM_CPUS_PER_TASK:-1}" --log-format json
[ -n "${DEHUSK_CONFIG:-}" ] && set -- "$@" --config "$DEHUSK_CONFIG"
# The program takes the shell's place, so that the signal of Slurm reaches it.
exec "${DEHUSK:-dehusk}" "$@"
