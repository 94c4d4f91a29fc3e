#!/usr/bin/env bash
# The long checks against the reference data: every circuit and every job of 32 and 64 GiB. About an hour on 2 cores.
# usage: tools/check-large.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shared=${CUZK_SHARED:-../shared}
[ -d "$shared/circuits" ] || { echo "check-large: the reference data is not in $shared" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the members that both JSON files have and that differ; fails if there is any.
compare() { python3 tools/compare-json.py "$1" "$2"; }

for size in 512MiB 1GiB 32GiB 64GiB; do
    for reference in "$shared"/circuits/*-"$size".json; do
        name=$(basename "$reference" .json)
        /usr/bin/env time -f "  %e s, %M KiB" "$build/cuzk" circuit "${name%-*}" "$size" --json > "$work/circuit.json"
        compare "$reference" "$work/circuit.json" && echo "circuit $name: equal"
    done
done

for job in sparse-32GiB sparse-64GiB; do
    mkdir "$work/$job"
    cp "$shared/jobs/$job/job.json" "$work/$job/"
    xz -dc "$shared/jobs/$job/c1.json.xz" > "$work/$job/c1.json"
    count=$(python3 -c 'import json,sys; print(len(json.load(open(sys.argv[1]))))' "$shared/jobs/$job/digest.json")
    for ((i = 0; i < count; i++)); do
        partition=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))[int(sys.argv[2])]["partition"])' \
            "$shared/jobs/$job/digest.json" "$i")
        "$build/cuzk" digest "$work/$job/job.json" --partition "$partition" > "$work/digest.json"
        python3 -c 'import json,sys; print(json.dumps([json.load(open(sys.argv[1]))[int(sys.argv[2])]]))' \
            "$shared/jobs/$job/digest.json" "$i" > "$work/reference.json"
        compare "$work/reference.json" "$work/digest.json" && echo "job $job, partition $partition: equal"
    done
done
INTEROP_ALL_POINTS=1 tools/interop.sh "$build"
echo "all large checks passed"
