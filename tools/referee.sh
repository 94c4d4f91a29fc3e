# Sourced, with $build set: finds the referee, the published Rust implementation behind one command, and builds it where it is
# missing (5 minutes). Sets $shared, the reference data, and $peer. CUZK_PEER names one that is built already.
shared=${CUZK_SHARED:-../shared}
[ -d "$shared/peer" ] || { echo "$(basename "$0"): the reference data is not in $shared" >&2; exit 2; }
peer=${CUZK_PEER:-$build/peer/target/release/cuzk-peer}
if [ ! -x "$peer" ]; then
    command -v cargo >/dev/null || { echo "$(basename "$0"): cargo is missing" >&2; exit 2; }
    rm -rf "$build/peer"
    cp -r "$shared/peer" "$build/peer"
    chmod -R u+w "$build/peer"
    cargo build --quiet --release --manifest-path "$build/peer/Cargo.toml"
fi

step() { printf -- '-- %s (%s)\n' "$*" "$(date -u +%T)"; }

# same_digests JOB [PARTITION]: of a job's circuits, or of one: the referee finds each satisfied, with the public inputs that its
# verifier computes, and ours has the same digests of constraints, witness and evaluations. With LATER_PARTITION set, the
# referee's verifier is not asked: it takes a WindowPoSt's sectors for a miner's first, on which version 1.0 depends.
same_digests() {
    local theirs=$build/referee-theirs.json ours=$build/referee-ours.json
    "$peer" digest "$1" ${2:+--partition "$2"} >"$theirs"
    python3 - "$theirs" "${LATER_PARTITION:-}" <<'END'
import json, sys
circuits = json.load(open(sys.argv[1]))
for circuit in circuits:
    matches = circuit.pop("public_inputs_match_verifier")
    if circuit["satisfied"] is not True or not (matches or sys.argv[2]):
        sys.exit(f"partition {circuit['partition']}: satisfied: {circuit['satisfied']}, public inputs match: {matches}")
json.dump(circuits, open(sys.argv[1], "w"))
END
    "$build/cuzk" digest "$1" ${2:+--partition "$2"} --quiet >"$ours"
    python3 tools/compare-json.py "$theirs" "$ours"
    rm "$theirs" "$ours"
}
