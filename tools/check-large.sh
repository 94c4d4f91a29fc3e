#!/usr/bin/env bash
# The long checks. usage: tools/check-large.sh BUILD [PART...]
#
# Parts, each of which may be run by itself; without any, all of them in this order:
#   circuits       every circuit from 512MiB to 64GiB has the reference's digests     5 core-minutes, 0.2 GB
#   jobs           the sparse 32GiB and 64GiB jobs: every partition in digest.json    2 core-minutes, 0.2 GB
#   times          what gen-vanilla takes, in core-seconds, by kind and size         15 core-minutes, 4 GB
#   referee        generated jobs of every kind: the referee finds each satisfied     8 core-minutes, 3 GB
#   referee-large  those whose circuits take the referee up to 17 GB                 30 core-minutes
#   interop        both ways with the published implementation, with every point     30 core-minutes, 3 GB
#   thirteen       a non-interactive PoRep, proved here and verified there           10 core-minutes, 1 GB
#   cuda          nvcc for all six architectures, registers and spills                4 core-minutes, 0.7 GB
#   soak           the engine: ten minutes of random calls, 50 kills, bit flips      15 minutes, 0.1 GB
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
shift
source tools/referee.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cuzk=$build/cuzk

part_circuits() {
    local size reference name
    for size in 512MiB 1GiB 32GiB 64GiB; do
        for reference in "$shared"/circuits/*-"$size".json; do
            name=$(basename "$reference" .json)
            "$cuzk" circuit "${name%-*}" "$size" --quiet >"$work/circuit.json"
            python3 tools/compare-json.py "$reference" "$work/circuit.json"
            echo "circuit $name: equal"
        done
    done
}

# check_job NAME: all partitions in the digest.json of a job whose C1 output is packed.
check_job() {
    mkdir "$work/$1"
    cp "$shared/jobs/$1/job.json" "$work/$1/"
    xz -dc "$shared/jobs/$1/c1.json.xz" >"$work/$1/c1.json"
    local partition
    for partition in $(python3 -c 'import json,sys; print(*(d["partition"] for d in json.load(open(sys.argv[1]))))' "$shared/jobs/$1/digest.json"); do
        "$cuzk" digest "$work/$1/job.json" --partition "$partition" --quiet >"$work/digest.json"
        python3 -c 'import json,sys; print(json.dumps([d for d in json.load(open(sys.argv[1])) if d["partition"] == int(sys.argv[2])]))' \
            "$shared/jobs/$1/digest.json" "$partition" >"$work/reference.json"
        python3 tools/compare-json.py "$work/reference.json" "$work/digest.json"
        echo "job $1, partition $partition: equal"
    done
    rm -r "${work:?}/$1"
}

part_jobs() {
    check_job sparse-32GiB
    check_job sparse-64GiB
}

# generate KIND SIZE [OPTION...]: a job in $work/job; prints the core-seconds it took.
generate() {
    rm -rf "${work:?}/job"
    local TIMEFORMAT="gen-vanilla $*: %U user + %S system"
    time "$cuzk" gen-vanilla "$1" --sector-size "$2" "${@:3}" --seed 7 --quiet --out "$work/job" >/dev/null
}

part_times() {
    local kind size
    for kind in porep winning-post window-post snap-prove; do
        for size in 2KiB 8MiB 512MiB 32GiB 64GiB; do generate $kind $size --sparse; done
        generate $kind 2KiB
        generate $kind 8MiB
    done
    generate porep 512MiB
}

# against_referee KIND SIZE [OPTION...]: a job's first and last partition.
against_referee() {
    generate "$@"
    local last
    last=$(($("$cuzk" inspect "$work/job/job.json" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["partitions"])') - 1))
    same_digests "$work/job/job.json" 0
    [ $last = 0 ] || same_digests "$work/job/job.json" $last
    echo "$*: satisfied, equal digests"
}

part_referee() {
    local size
    for size in 2KiB 8MiB 512MiB 32GiB 64GiB; do against_referee winning-post $size --sparse; done
    for size in 2KiB 8MiB 512MiB; do against_referee window-post $size --sparse; done
    for size in 2KiB 8MiB 512MiB; do against_referee porep $size --sparse; done
    for size in 2KiB 8MiB; do against_referee snap-prove $size --sparse; done
    for size in 2KiB 8MiB; do
        against_referee winning-post $size
        against_referee window-post $size
        against_referee porep $size
        against_referee snap-prove $size
    done
    against_referee porep 2KiB --registered-proof 0
    against_referee porep 2KiB --registered-proof 10
    against_referee porep 2KiB --registered-proof 15
    against_referee window-post 2KiB --registered-proof 5
}

part_referee-large() {
    local size
    against_referee snap-prove 512MiB --sparse
    for size in 32GiB 64GiB; do
        against_referee snap-prove $size --sparse
        against_referee window-post $size --sparse
        against_referee porep $size --sparse
    done
}

part_interop() { INTEROP_ALL_POINTS=1 tools/interop.sh "$build"; }

part_thirteen() {
    local params=$build/interop/params
    export FIL_PROOFS_PARAMETER_CACHE=$params
    mkdir -p "$params"
    ls "$params"/v28-stacked-*.params >/dev/null 2>&1 || "$cuzk" setup porep 2KiB --out "$params" --quiet
    generate porep 2KiB --registered-proof 15
    "$cuzk" prove "$work/job/job.json" --out "$work/proof" --quiet
    "$cuzk" verify "$work/job/job.json" "$work/proof"
    # The referee's verify wants these proofs aggregated into one; verify-raw takes them as they are, with the referee's inputs.
    "$peer" digest "$work/job/job.json" |
        python3 -c 'import json,sys; print(json.dumps([d["public_inputs"] for d in json.load(sys.stdin)]))' >"$work/inputs.json"
    "$peer" verify-raw "$params"/v28-stacked-*.vk "$work/inputs.json" "$work/proof"
}

part_cuda() { tools/check-cuda.sh "$build-cuda" || [ $? = 77 ]; }

part_soak() {
    CUZK_SOAK_SECONDS=600 CUZK_SOAK_JOBS=20000 "$build"/tests/test_stress_engine
    CUZK_SOAK_KILLS=50 "$build"/tests/test_crash_engine
    CUZK_SOAK_FLIPS=2000 "$build"/tests/test_journal_engine
}

[ $# -gt 0 ] || set -- circuits jobs times referee referee-large interop thirteen cuda soak
for part in "$@"; do
    [ "$(type -t "part_$part")" = function ] || { echo "check-large: PART: found $part, expected one of those in its head" >&2; exit 2; }
done
for part in "$@"; do
    step "$part"
    "part_$part"
done
echo "large checks passed: $*"
