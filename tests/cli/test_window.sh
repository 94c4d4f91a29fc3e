# The whole way on the smallest circuit: setup, check, prove, verify, and everything that must be refused.
source "$(dirname "$0")/common.sh"
job=$jobs/window-post-v1/job.json
params=$work/params
seed=00000000000000000000000000000000000000000000000000000000000000ff

"$CUZK" setup window 2KiB --out "$params" --seed $seed >"$work/log"
for phase in 'query h' 'query l' 'query b_g2'; do grep -q "$phase .* s  (" "$work/log" || fail "no time for phase $phase"; done
file=$(ls "$params"/*.params)
key=${file%.params}.vk
refused 'exists already; give --force' "$CUZK" setup window 2KiB --out "$params" --seed $seed
"$CUZK" setup window 2KiB --out "$work/again" --seed $seed --threads 1 --quiet
cmp "$file" "$work/again/$(basename "$file")" || fail "a seed gives equal parameters, whatever the number of threads"

expect 0 'origin +development: made by cuzk setup' "$CUZK" inspect "$file"
expect 0 'origin +development: made by cuzk setup' "$CUZK" inspect "$key"
expect 0 'checked before, unchanged since' "$CUZK" check "$file"
expect 0 'every point is good' "$CUZK" check "$file" --force

"$CUZK" prove "$job" --params "$params" --out "$work/proof" --quiet >"$work/log"
grep -q 'made with development parameters: no chain accepts it' "$work/log" || fail "the proof does not say what it was made with"
[ "$(stat -c %s "$work/proof")" = 192 ] || fail "a proof has 192 bytes"
expect 0 '^valid' "$CUZK" verify "$job" "$work/proof" --params "$params"
expect 0 '"valid": true' "$CUZK" verify "$job" "$work/proof" --params "$params" --json
expect 0 '^valid' env FIL_PROOFS_PARAMETER_CACHE="$params" "$CUZK" verify "$job" "$work/proof"
expect 0 'Groth16 proof' "$CUZK" inspect "$work/proof"
expect 0 '^valid' "$CUZK" verify "$job" "$work/proof" --params "$params" --partition 0
refused 'partition: found 1, expected a number below 1' "$CUZK" verify "$job" "$work/proof" --params "$params" --partition 1
refused 'partition: found 1, expected a number below 1' "$CUZK" prove "$job" --params "$params" --out "$work/none" --partition 1
"$CUZK" prove "$job" --params "$params" --out "$work/proof-0" --partition 0 --quiet >"$work/log"
expect 0 '^valid' "$CUZK" verify "$job" "$work/proof-0" --params "$params"

# Another statement, another setup, another byte.
expect 1 '^INVALID' "$CUZK" verify "$jobs/window-post-v1_2/job.json" "$work/proof" --params "$params"
expect 1 '^INVALID' "$CUZK" verify "$job" "$work/proof" --params "$data/params"
for offset in 0 47 48 100 143 144 191; do
    cp "$work/proof" "$work/changed"
    flip "$work/changed" $offset
    expect 1 '^INVALID' "$CUZK" verify "$job" "$work/changed" --params "$params"
done
head -c 191 "$work/proof" >"$work/short"
refused 'short: proof: found 191 bytes, expected 1 proof' "$CUZK" verify "$job" "$work/short" --params "$params"
cat "$work/proof" "$work/proof" >"$work/long"
refused 'long: proof: found 384 bytes, expected 1 proof' "$CUZK" verify "$job" "$work/long" --params "$params"
: >"$work/none"
refused 'none: proof: found 0 bytes, expected 1 proof' "$CUZK" verify "$job" "$work/none" --params "$params"

# The published implementation's proofs under its keys.
for given in window-post-v1 window-post-v1_2 winning-post porep-StackedDrg2KiBV1_1; do
    expect 0 '^valid' "$CUZK" verify "$jobs/$given/job.json" "$jobs/$given/proof.bin" --params "$data/params"
done

# verify-raw: key, inputs, proof.
python3 - "$jobs/window-post-v1/digest.json" "$work/inputs.json" <<'P'
import json, sys
json.dump([d["public_inputs"] for d in json.load(open(sys.argv[1]))], open(sys.argv[2], "w"))
P
vk=$(ls "$data"/params/*0170db*.vk)
expect 0 '^valid' "$CUZK" verify-raw "$vk" "$work/inputs.json" "$jobs/window-post-v1/proof.bin"
sed 's/0x\(.\{63\}\)./0x\10/' "$work/inputs.json" >"$work/other.json"
expect 1 '^INVALID' "$CUZK" verify-raw "$vk" "$work/other.json" "$jobs/window-post-v1/proof.bin"
sed 's/"0x/"0xf/; s/0xf\(.\{63\}\)./0xf\1/' "$work/inputs.json" >"$work/large.json"
refused 'large.json: \[0\]\[0\]: .*order of the field' "$CUZK" verify-raw "$vk" "$work/large.json" "$jobs/window-post-v1/proof.bin"
echo '[["0x00"]]' >"$work/small.json"
refused 'small.json: \[0\]\[0\]: found .*, expected' "$CUZK" verify-raw "$vk" "$work/small.json" "$jobs/window-post-v1/proof.bin"
echo '[[]]' >"$work/few.json"
refused 'few.json: found lists of 0 inputs, expected 22' "$CUZK" verify-raw "$vk" "$work/few.json" "$jobs/window-post-v1/proof.bin"

# Parameter files that are not whole, or another circuit's.
size=$(stat -c %s "$file")
for cut in 0 1 863 864 868 $((size / 2)) $((size - 1)); do
    mkdir -p "$work/cut"
    head -c "$cut" "$file" >"$work/cut/$(basename "$file")"
    refused 'params: .*(found|expected)' "$CUZK" prove "$job" --params "$work/cut" --out "$work/p" --quiet
done
(cat "$file"; echo) >"$work/cut/$(basename "$file")"
refused 'params: .*expected' "$CUZK" prove "$job" --params "$work/cut" --out "$work/p" --quiet
rm "$work/cut/$(basename "$file")"
mkfifo "$work/cut/$(basename "$file")"
refused 'found a FIFO, expected a regular file' "$CUZK" prove "$job" --params "$work/cut" --out "$work/p" --quiet
[ ! -e "$work/p" ] || fail "a refused prove left a file"

# A tampered point is found by the check, and its record does not hide it.
cp "$file" "$work/tampered.params"
expect 0 'every point is good' "$CUZK" check "$work/tampered.params"
flip "$work/tampered.params" $((size - 100))
refused 'tampered.params: b_g2\[[0-9]+\]: found a point that is not on the curve' "$CUZK" check "$work/tampered.params" --quiet
