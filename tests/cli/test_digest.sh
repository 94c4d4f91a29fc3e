# Circuits and jobs against the reference digests.
source "$(dirname "$0")/common.sh"
compare() { python3 "$CUZK_SOURCE_DIR/tools/compare-json.py" "$1" "$2" || fail "$1 differs from $2"; }

for kind in porep winning window snap; do
    "$CUZK" circuit $kind 2KiB >"$work/circuit.json"
    compare "$data/circuits/$kind-2KiB.json" "$work/circuit.json"
done
for job in "$jobs"/*/; do
    [ -f "$job/digest.json" ] || continue
    "$CUZK" digest "$job/job.json" >"$work/digest.json"
    compare "$job/digest.json" "$work/digest.json"
    grep -q '"public_inputs_match_verifier": true' "$work/digest.json" || fail "$job: public inputs differ from the verifier's"
done
refused '--partition: found 1, expected a number below 1' "$CUZK" digest "$jobs/porep-StackedDrg2KiBV1/job.json" --partition 1

shared=${CUZK_SHARED:-$CUZK_SOURCE_DIR/../shared}
[ -d "$shared/circuits" ] || { echo "the reference data is not there: larger circuits are not compared"; exit 0; }
for reference in "$shared"/circuits/*; do
    name=$(basename "$reference" .json)
    case $name in *-32GiB | *-64GiB) [ "${name%-*}" = winning ] || continue ;; esac
    "$CUZK" circuit "${name%-*}" "${name##*-}" >"$work/circuit.json"
    compare "$reference" "$work/circuit.json"
done
for job in "$shared"/jobs/{sparse-8MiB,porep-StackedDrg2KiBV1_2_Feat_NonInteractivePoRep}; do
    "$CUZK" digest "$job/job.json" >"$work/digest.json"
    compare "$job/digest.json" "$work/digest.json"
done
