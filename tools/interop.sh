#!/usr/bin/env bash
# Both ways with the published Rust implementation (the reference data's peer/): its checks on our parameters, its proofs
# with our parameters under our verifier, our proofs under its verifier, for all four kinds. usage: tools/interop.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
source tools/referee.sh
cuzk=$build/cuzk
work=$build/interop
params=$work/params
jobs=$shared/jobs

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

step "generated sectors: the referee finds each satisfied, with matching public inputs, and has our digests"
for kind in porep winning-post window-post snap-prove; do
    rm -rf "$work/generated-$kind"
    "$cuzk" gen-vanilla $kind --sector-size 2KiB --seed 7 --out "$work/generated-$kind" --quiet >/dev/null
    same_digests "$work/generated-$kind/job.json"
    echo "$kind: satisfied"
done

# other_list JOB PYTHON: a copy of a WindowPoSt job with another list of its proofs p and sectors s.
other_list() {
    rm -rf "$work/list"
    cp -r "$1" "$work/list"
    chmod -R u+w "$work/list"
    python3 - "$work/list" "$2" <<'END'
import json, sys
job, proofs = (json.load(open(f"{sys.argv[1]}/{name}")) for name in ("job.json", "vanilla.json"))
p, s = proofs, job["sectors"]
order = eval(sys.argv[2])
job["sectors"] = [s[i] for i in order]
json.dump(job, open(f"{sys.argv[1]}/job.json", "w"))
json.dump([p[i] for i in order], open(f"{sys.argv[1]}/vanilla.json", "w"))
END
}

step "lists of sectors for WindowPoSt: short, unsorted, repeated, and partitions beyond the first"
for order in '[0]' '[1]' '[1, 0]' '[0, 0]' '[1, 1]'; do
    other_list "$jobs/window-post-v1_2" "$order"
    same_digests "$work/list/job.json"
    echo "sectors $order: the same"
done
later=([5]=yes [10]=) # of version 1.0
for proof in 5 10; do
    for partition in 1 7; do
        rm -rf "$work/list"
        "$cuzk" gen-vanilla window-post --registered-proof $proof --partition $partition --out "$work/list" --quiet >/dev/null
        LATER_PARTITION=${later[$proof]} same_digests "$work/list/job.json"
        echo "proof $proof, partition $partition: the same"
    done
done

echo "interop: both ways agree"
