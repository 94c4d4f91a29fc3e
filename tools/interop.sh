#!/usr/bin/env bash
# Both ways with the published Rust implementation (the reference data's peer/): its checks on our parameters, its proofs
# with our parameters, our proofs under its verifier. usage: tools/interop.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shared=${CUZK_SHARED:-../shared}
cuzk=$build/cuzk
work=$build/interop
jobs=$shared/jobs

command -v cargo >/dev/null || { echo "interop: cargo is missing" >&2; exit 2; }
[ -d "$shared/peer" ] || { echo "interop: the reference data is not in $shared" >&2; exit 2; }
if [ ! -x "$build/peer/target/release/cuzk-peer" ]; then
    rm -rf "$build/peer"
    cp -r "$shared/peer" "$build/peer"
    chmod -R u+w "$build/peer"
    cargo build --quiet --release --manifest-path "$build/peer/Cargo.toml"
fi
peer=$build/peer/target/release/cuzk-peer

mkdir -p "$work/params"
export FIL_PROOFS_PARAMETER_CACHE=$work/params
step() { printf -- '-- %s\n' "$*"; }

[ -f "$work/params/.porep" ] || { "$cuzk" setup porep 2KiB --out "$work/params" && touch "$work/params/.porep"; }
params=$(ls "$work"/params/v28-stacked-*.params)

job=$jobs/porep-StackedDrg2KiBV1_1/job.json
step "the referee reads our parameters and checks every point"
"$peer" params-check "$params"
step "our proof, the referee's verifier"
"$cuzk" prove "$job" --params "$work/params" --out "$work/ours.bin"
"$peer" verify "$job" "$work/ours.bin"
step "the referee's proof with our parameters, our verifier"
"$peer" prove "$job" "$work/theirs.bin"
"$cuzk" verify "$job" "$work/theirs.bin" --params "$work/params"
echo "interop: both ways agree"
