# Jobs that gen-vanilla makes: the reference's for the reference's seeds, and satisfied circuits for all kinds.
source "$(dirname "$0")/common.sh"
satisfied() {
    "$CUZK" digest "$1/job.json" --partition 0 >"$work/digest.json"
    grep -q '"satisfied": true' "$work/digest.json" || fail "$1: not satisfied"
    grep -q '"public_inputs_match_verifier": true' "$work/digest.json" || fail "$1: public inputs differ from the verifier's"
}
generate() { "$CUZK" gen-vanilla "$@" --quiet >"$work/stdout" || fail "gen-vanilla $*"; }

generate porep --sector-size 2KiB --seed 105 --miner-id 1001 --sector-num 16 --out "$work/porep"
cmp "$work/porep/c1.json" "$jobs/porep-StackedDrg2KiBV1_1/c1.json"
generate porep --registered-proof 15 --out "$work/non-interactive"
satisfied "$work/non-interactive"
generate winning-post --sector-size 2KiB --out "$work/winning"
satisfied "$work/winning"
generate window-post --sector-size 2KiB --sectors 1 --partition 4 --out "$work/window"
satisfied "$work/window"
generate snap-prove --sector-size 2KiB --out "$work/snap" --keep-sectors
satisfied "$work/snap"
for file in sealed piece.data cache/p_aux new-sealed new-cache/t_aux; do
    [ -s "$work/snap/sector-1/$file" ] || fail "$file was not kept"
done
for size in 8MiB 32GiB; do
    generate winning-post --sector-size $size --sparse --out "$work/winning-$size"
    satisfied "$work/winning-$size"
done
generate window-post --sector-size 512MiB --sparse --seed 3 --out "$work/window-512MiB"
satisfied "$work/window-512MiB"
generate snap-prove --sector-size 2KiB --sparse --out "$work/snap-sparse"
satisfied "$work/snap-sparse"
generate porep --sector-size 2KiB --sparse --out "$work/porep-sparse"
satisfied "$work/porep-sparse"
expect 0 'StackedDrg64GiBV1_1, to be proved in 10 partitions \(a sparse sector' "$CUZK" gen-vanilla porep --sector-size 64GiB --sparse \
    --quiet --out "$work/porep-64GiB"

refused 'KIND: found foo' "$CUZK" gen-vanilla foo --sector-size 2KiB --out "$work/x"
refused '--sector-size: found nothing' "$CUZK" gen-vanilla porep --out "$work/x"
refused '--sector-size: found 16KiB' "$CUZK" gen-vanilla porep --sector-size 16KiB --out "$work/x"
refused '--out: found nothing' "$CUZK" gen-vanilla porep --sector-size 2KiB
refused '--registered-proof: found 3, which is no window proof' "$CUZK" gen-vanilla window-post --registered-proof 3 --out "$work/x"
refused 'found StackedDrg8MiBV1_1, expected one of --sector-size 2KiB' \
    "$CUZK" gen-vanilla porep --registered-proof 6 --sector-size 2KiB --out "$work/x"
refused 'a sector of 32GiB cannot be sealed here' "$CUZK" gen-vanilla porep --sector-size 32GiB --out "$work/x"
refused 'StackedDrg2KiBV1_1_Feat_SyntheticPoRep cannot be made of a sparse sector' \
    "$CUZK" gen-vanilla porep --registered-proof 10 --sparse --out "$work/x"
refused 'found 3 sectors, expected at most 2' "$CUZK" gen-vanilla window-post --sector-size 2KiB --sectors 3 --out "$work/x"
[ ! -e "$work/x" ] || fail "a refused run left files"
