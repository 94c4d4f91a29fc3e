#!/usr/bin/env bash
# Both ways with the published Rust implementation (the reference data's peer/): its checks on our parameters, its proofs
# with our parameters under our verifier, our proofs under its verifier, for all four kinds. usage: tools/interop.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
shared=${CUZK_SHARED:-../shared}
cuzk=$build/cuzk
work=$build/interop
params=$work/params
jobs=$shared/jobs

command -v cargo >/dev/null || { echo "interop: cargo is missing" >&2; exit 2; }
[ -d "$shared/peer" ] || { echo "interop: the reference data is not in $shared" >&2; exit 2; }
peer=$build/peer/target/release/cuzk-peer
if [ ! -x "$peer" ]; then
    rm -rf "$build/peer"
    cp -r "$shared/peer" "$build/peer"
    chmod -R u+w "$build/peer"
    cargo build --quiet --release --manifest-path "$build/peer/Cargo.toml"
fi
step() { printf -- '-- %s (%s)\n' "$*" "$(date -u +%T)"; }

mkdir -p "$params"
export FIL_PROOFS_PARAMETER_CACHE=$params
for kind in porep winning window snap; do
    [ -f "$work/$kind.made" ] && continue
    step "setup of $kind 2KiB"
    "$cuzk" setup $kind 2KiB --out "$params" --force --quiet
    touch "$work/$kind.made"
done

# Of PoRep it is ten million points on one core, ten minutes: INTEROP_ALL_POINTS=1 (make check-large) has them checked too.
step "the referee reads our parameters and checks every point"
for file in "$params"/*.params; do
    case $file in
    *stacked* | *update*) [ -n "${INTEROP_ALL_POINTS:-}" ] || continue ;;
    esac
    "$peer" params-check "$file"
done

# both_ways JOB: our proof, its verifier; its proof, our verifier.
both_ways() {
    step "$1: our proof, the referee's verifier"
    "$cuzk" prove "$jobs/$1/job.json" --params "$params" --out "$work/$1.ours" --quiet
    "$peer" verify "$jobs/$1/job.json" "$work/$1.ours"
    step "$1: the referee's proof, our verifier"
    "$peer" prove "$jobs/$1/job.json" "$work/$1.theirs"
    "$cuzk" verify "$jobs/$1/job.json" "$work/$1.theirs" --params "$params"
}
for job in window-post-v1_2 window-post-short winning-post snap-deals porep-StackedDrg2KiBV1_1; do
    both_ways $job
done

step "WindowPoSt with the parameters that came with the reference data"
given=$work/given
mkdir -p "$given"
cp "$shared"/params/*0170db* "$given"
FIL_PROOFS_PARAMETER_CACHE=$given
"$cuzk" prove "$jobs/window-post-v1/job.json" --out "$work/given.ours" --quiet
"$peer" verify "$jobs/window-post-v1/job.json" "$work/given.ours"
"$cuzk" verify "$jobs/window-post-v1/job.json" "$work/given.ours"
"$cuzk" verify "$jobs/window-post-v1/job.json" "$jobs/window-post-v1/proof.bin"
FIL_PROOFS_PARAMETER_CACHE=$params

step "generated sectors: the referee finds each satisfied, with matching public inputs"
for kind in porep winning-post window-post snap-prove; do
    rm -rf "$work/generated-$kind"
    "$cuzk" gen-vanilla $kind --sector-size 2KiB --seed 7 --out "$work/generated-$kind" --quiet >/dev/null
    "$peer" digest "$work/generated-$kind/job.json" >"$work/generated.json"
    grep -q '"satisfied": true' "$work/generated.json"
    grep -q '"public_inputs_match_verifier": true' "$work/generated.json"
    ! grep -q 'false' "$work/generated.json"
    echo "$kind: satisfied"
done

echo "interop: both ways agree"
