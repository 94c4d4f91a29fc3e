# A real 2 KiB sector's C1 output: hostile changes first, then setup, proof and verification at full length.
source "$(dirname "$0")/common.sh"
name=porep-StackedDrg2KiBV1_1
cp -r "$jobs/$name" "$work/job"
chmod -R u+w "$work/job"

# change PYTHON: edits the inner C1 object `c1` (and the envelope `outer`) of a fresh copy.
change() {
    python3 - "$jobs/$name/c1.json" "$work/job/c1.json" "$1" <<'P'
import base64, json, sys
outer = json.load(open(sys.argv[1]))
c1 = json.loads(base64.b64decode(outer["Phase1Out"]))
exec(sys.argv[3])
outer["Phase1Out"] = base64.b64encode(json.dumps(c1).encode()).decode()
json.dump(outer, open(sys.argv[2], "w"))
P
}
hostile() { change "$1"; refused "$2" "$CUZK" digest "$work/job/job.json"; }
proofs='c1["vanilla_proofs"]["StackedDrg2KiBV1"]'

hostile "$proofs[0][0]['labeling_proofs'][0]['parents'][3].pop()" 'c1.json: .*labeling_proofs\[0\].parents\[3\]: found 31 bytes, expected 32'
hostile "$proofs[0][0]['labeling_proofs'][0]['parents'][3] = [255]*32" 'parents\[3\]: .*(order|canonical|below)'
hostile "$proofs.append($proofs[0])" 'vanilla_proofs.*(found 2|partition)'
hostile "$proofs.pop()" 'vanilla_proofs.*(found 0|partition)'
hostile "$proofs[0].pop()" 'vanilla_proofs.*found 1'
hostile "c1['registered_proof'] = 'StackedDrg8MiBV1_1'" 'c1.json: .*StackedDrg'
hostile "c1['registered_proof'] = 'StackedDrg9KiBV1'" 'registered_proof: found .*StackedDrg9KiBV1'
hostile "outer['SectorSize'] = 4096" 'SectorSize: found 4096, expected 2048'
hostile "del c1['seed']" 'seed'
hostile "c1['seed'][0] = float('nan')" 'c1.json: '
hostile "c1['comm_r'][0] = -1" 'comm_r\[0\]'
hostile "c1['comm_r'][0] = 10**30" 'comm_r\[0\]'
hostile "$proofs[0][0]['comm_d_proofs']['data']['Single']['path']['path'][0]['index'] = 2" 'path\[0\].index: found 2'
hostile "x = []
for i in range(100): x = [x]
c1['ticket'] = x" 'c1.json: '
head -c 1000 "$jobs/$name/c1.json" >"$work/job/c1.json"
refused 'c1.json: ' "$CUZK" digest "$work/job/job.json"

# A wrong label parses, and breaks a constraint that is named.
change "$proofs[0][1]['replica_column_proofs']['drg_parents'][2]['column']['rows'][1][0] ^= 1"
"$CUZK" digest "$work/job/job.json" >"$work/digest.json"
grep -q '"satisfied": false' "$work/digest.json" || fail "a wrong label satisfies the circuit"
grep -A2 '"first_unsatisfied"' "$work/digest.json" | grep -q 'challenge' || fail "the broken constraint does not say where it is"

if [ -n "${CUZK_SKIP_SLOW:-}" ]; then exit 0; fi
params=$CUZK_BUILD_DIR/test-params
mkdir -p "$params"
ls "$params"/v28-stacked-*.params >/dev/null 2>&1 || "$CUZK" setup porep 2KiB --out "$params"
job=$jobs/$name/job.json

"$CUZK" prove "$job" --params "$params" --out "$work/proof"
expect 0 '^valid' "$CUZK" verify "$job" "$work/proof" --params "$params"
expect 1 '^INVALID' "$CUZK" verify "$jobs/porep-StackedDrg2KiBV1/job.json" "$work/proof" --params "$params"

refused 'does not satisfy constraint [0-9]+: challenge 1/drg parent 2/' "$CUZK" prove "$work/job/job.json" --params "$params" --out "$work/none" --quiet
[ ! -e "$work/none" ] || fail "a refused prove left a file"
