#!/usr/bin/env bash
# From corpora with known main content to the model files and the tables of docs/fusion.md.
#
#   training/train.sh CORPORA [WORK]
#
# CORPORA has wcxb-dev and daniel-dev, each as NAME.warc.gz and NAME.truth.jsonl.gz. WORK (default: out/training) keeps what
# was computed; a run that was cut short goes on there.
set -euo pipefail
corpora=$(realpath "$1")
cd "$(dirname "$0")/.."
work=${2:-out/training}
mkdir -p "$work"

if [ ! -x "$work/venv/bin/python" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --requirement training/requirements.txt
fi
cargo build --release --locked
for name in wcxb-dev daniel-dev; do
    # The models of other features, which the build has embedded, could not be read.
    target/release/dehusk features --set 'extract.extractors=["coreex-modern"]' --overwrite --truth "$corpora/$name.truth.jsonl.gz" --out "$work/$name" \
        "$corpora/$name.warc.gz"
done
# One thread, so that the models are the same to the byte whenever they are trained on one kind of machine.
export OMP_NUM_THREADS=1
export XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
"$work/venv/bin/python" -m training "$work/wcxb-dev" "$work/daniel-dev" --work "$work/parts" \
    --models crates/extract/src/fusion/models --tables "$work/tables.md"
