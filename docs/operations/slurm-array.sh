#!/bin/sh
#SBATCH --job-name=dehusk
#SBATCH --array=1-16
#SBATCH --cpus-per-task=8
#SBATCH --mem=8G
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
# slurm-array.sh LIST OUT: every task of the array runs over its part of the archives in LIST, into OUT/part-N.
#
# Each archive falls to one task, as long as the list and the number of parts stay the same. A task that was requeued, or submitted
# again alone (`--array=3`), continues where it stopped. Environment: DEHUSK (the program), DEHUSK_CONFIG (a configuration file).
set -u
# The number of parts. It does not depend on which tasks are submitted. Change it together with `--array=1-16`.
parts=16
list=$1
out=$2
task=${SLURM_ARRAY_TASK_ID:?not a task of an array}
mkdir -p "$out" || exit 1

set -- run "@$list" --part "$task/$parts" -o "$out/part-$task" --threads "${SLURM_CPUS_PER_TASK:-1}" --log-format json
[ -n "${DEHUSK_CONFIG:-}" ] && set -- "$@" --config "$DEHUSK_CONFIG"
# The program takes the shell's place, so that the signal of Slurm reaches it.
exec "${DEHUSK:-dehusk}" "$@"
