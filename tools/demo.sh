#!/usr/bin/env bash
# The whole way of a proof on the bundled 2 KiB sector: development parameters, proof, verification.
# usage: tools/demo.sh BUILD [FOLDER]   (parameters are kept in FOLDER, default BUILD/demo, and reused)
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
folder=${2:-$build/demo}
job=tests/data/jobs/porep-StackedDrg2KiBV1_1/job.json
cuzk=$build/cuzk
mkdir -p "$folder"

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
run() { say "$@"; "$@"; }
[ -t 1 ] || say() { printf '\n$ %s\n' "$*"; }

if ls "$folder"/v28-stacked-proof-of-replication-*.params >/dev/null 2>&1; then
    echo "(the parameters of an earlier run in $folder are reused; remove the folder to make them again)"
else
    run "$cuzk" setup porep 2KiB --out "$folder"
fi
run "$cuzk" inspect "$job"
run "$cuzk" prove "$job" --params "$folder" --out "$folder/proof.bin"
run "$cuzk" inspect "$folder/proof.bin"
run "$cuzk" verify "$job" "$folder/proof.bin" --params "$folder"
