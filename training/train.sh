#!/usr/bin/env bash
# From corpora with known main content to the model files and the tables of docs/fusion.md.
#
#   training/train.sh CORPORA [WORK]
#
# CORPORA has wcxb-dev, daniel-dev and manuals-dev, each as NAME.warc.gz and NAME.truth.jsonl.gz. The corpora made and
# manuals-more are made here. WORK (default: out/training) keeps what was computed; a run that was cut short continues there.
set -euo pipefail
corpora=$(realpath "$1")
cd "$(dirname "$0")/.."
work=${2:-out/training}
mkdir -p "$work"

if [ ! -x "$work/venv/bin/python" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --requirement training/requirements.txt
fi
for module in made manuals; do
    "$work/venv/bin/python" -m training.$module "$work/corpora"
done
cargo build --release --locked
for archive in "$corpora"/{wcxb,daniel,manuals}-dev.warc.gz "$work"/corpora/{manuals-more,made}.warc.gz; do
    # The models of other features, which the build has embedded, could not be read.
    target/release/dehusk features --set 'extract.extractors=["coreex-modern"]' --overwrite \
        --truth "${archive%.warc.gz}.truth.jsonl.gz" --out "$work/$(basename "$archive" .warc.gz)" "$archive"
done
# One thread, so that the models are the same to the byte whenever they are trained on one kind of machine.
export OMP_NUM_THREADS=1
export XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
"$work/venv/bin/python" -m training "$work"/{wcxb-dev,daniel-dev,manuals-dev,made,manuals-more} --work "$work/parts" \
    --models crates/extract/src/fusion/models --tables "$work/tables.md"
