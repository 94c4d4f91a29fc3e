# Directories and files that are not what they should be; and the full check: its progress, threads and end on request.
source "$(dirname "$0")/common.sh"
job=$jobs/window-post-v1/job.json
proof=$jobs/window-post-v1/proof.bin
name=v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0
params=$work/params
"$CUZK" setup window 2KiB --out "$params" --quiet >/dev/null
file=$params/$name.params

# An empty directory stays empty: nothing but setup makes parameters.
mkdir "$work/empty"
for command in "prove $job --out $work/none" "verify $job $proof"; do
    refused "window 2KiB in $work/empty \(from --params\): $work/empty/$name.(params|vk): cannot open" "$CUZK" $command --params "$work/empty"
    refused "window 2KiB in $work/empty \(from FIL_PROOFS_PARAMETER_CACHE\): $work/empty/$name.(params|vk): cannot open" \
        env FIL_PROOFS_PARAMETER_CACHE="$work/empty" "$CUZK" $command
    refused 'from FIL_PROOFS_PARAMETER_CACHE\): found a file, expected a directory' env FIL_PROOFS_PARAMETER_CACHE="$job" "$CUZK" $command
    refused 'no parameter directory: give --params DIR or set FIL_PROOFS_PARAMETER_CACHE' env FIL_PROOFS_PARAMETER_CACHE= "$CUZK" $command
done
[ -z "$(ls -A "$work/empty")" ] || fail "parameters were made: $(ls "$work/empty")"
[ ! -e "$work/none" ] || fail "a refused prove left a file"

# A directory that may not be read, as somebody who is not root sees it.
if setpriv --reuid 65534 --clear-groups "$CUZK" inspect "$proof" >/dev/null 2>&1; then
    mkdir "$work/secret"
    cp "$params"/* "$work/secret"
    chmod 755 "$work"
    chmod 700 "$work/secret"
    refused "window 2KiB in $work/secret \(from --params\): $work/secret/$name.params: cannot open: Permission denied" \
        setpriv --reuid 65534 --clear-groups "$CUZK" prove "$job" --params "$work/secret" --out "$work/none"
fi

# Files of another release are not taken, and do not disturb.
mkdir "$work/older"
cp "$file" "$work/older/${name/v28/v27}.params"
refused "older/$name.params: cannot open" "$CUZK" prove "$job" --params "$work/older" --out "$work/none"
cp "$data/params/$name.vk" "$work/older/"
echo garbage >"$work/older/${name/v28/v27}.vk"
expect 0 '^valid' "$CUZK" verify "$job" "$proof" --params "$work/older"

# A PoRep of 13 partitions, of which all but the last have a wrong label: each is named, those after it are tried none the less,
# and nothing is written. The parameters, another circuit's, are what stops the last.
cp "$file" "$work/older/$(basename "$(ls "$data"/params/v28-stacked-*.vk)" .vk).params"
"$CUZK" gen-vanilla porep --registered-proof 15 --seed 1 --quiet --out "$work/thirteen" >/dev/null
python3 - "$work/thirteen/c1.json" <<'P'
import base64, json, sys
outer = json.load(open(sys.argv[1]))
c1 = json.loads(base64.b64decode(outer["Phase1Out"]))
for partition in c1["vanilla_proofs"]["StackedDrg2KiBV1"][:-1]:
    partition[1]["replica_column_proofs"]["drg_parents"][2]["column"]["rows"][1][0] ^= 1
outer["Phase1Out"] = base64.b64encode(json.dumps(c1).encode()).decode()
json.dump(outer, open(sys.argv[1], "w"))
P
code=0
"$CUZK" prove "$work/thirteen/job.json" --params "$work/older" --out "$work/none" --quiet 2>"$work/stderr" || code=$?
[ $code = 2 ] || fail "exit code $code, expected 2: $(cat "$work/stderr")"
for k in {1..11}; do
    grep -q "partition $k of 13: .*challenge 1/drg parent 2/" "$work/stderr" || fail "partition $k is not named: $(cat "$work/stderr")"
done
grep -q 'partition 12 of 13: .*not the parameters of this circuit' "$work/stderr" || fail "the last was not tried: $(cat "$work/stderr")"
grep -q '13 of 13 partitions failed; partition 0 of 13: .*challenge 1/drg parent 2/' "$work/stderr" || fail "no word of all: $(cat "$work/stderr")"
[ "$(wc -l <"$work/stderr")" = 13 ] || fail "other than a line for each partition: $(cat "$work/stderr")"
[ ! -e "$work/none" ] || fail "a proof was written of which partitions are missing"

# A directory in a file's place.
mkdir -p "$work/folder/$name.params"
refused "folder/$name.params: found a directory, expected a regular file" "$CUZK" prove "$job" --params "$work/folder" --out "$work/none"

# A published name with other content: path, digest found and expected.
list() { echo "{\"$name.params\": {\"cid\": \"x\", \"digest\": \"$1\", \"sector_size\": 2048}}" >"$work/list.json"; }
digest=$("$CUZK" check "$file" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["blake2b_512"][:32])')
list "$digest"
expect 0 'the published file|checked before' "$CUZK" check "$file" --published "$work/list.json"
list 00112233445566778899aabbccddeeff
refused "$file: BLAKE2b digest: found $digest, expected 00112233445566778899aabbccddeeff" "$CUZK" check "$file" --published "$work/list.json" --quiet
echo '{}' >"$work/list.json"
refused "list.json: $name.params is not listed" "$CUZK" check "$file" --published "$work/list.json"

# The check of all points shows itself, uses the threads it is given, and ends on request without a record.
rm -f "$file.checked"
"$CUZK" check "$file" --force --threads 3 >"$work/check.log" 2>&1 &
check=$!
threads=0
while kill -0 $check 2>/dev/null; do
    now=$(awk '/^Threads:/ {print $2}' /proc/$check/status 2>/dev/null || echo 0)
    [ "${now:-0}" -gt "$threads" ] && threads=$now
    [ "$threads" -ge 3 ] && break
    sleep 0.01
done
[ "$threads" = 3 ] || fail "the check ran on $threads threads, expected 3"
kill -INT $check
code=0
wait $check || code=$?
[ $code = 130 ] || fail "a check that was stopped ended with $code, expected 130: $(cat "$work/check.log")"
grep -q 'stopped on request' "$work/check.log" || fail "a check that was stopped does not say so"
[ ! -e "$file.checked" ] || fail "a check that was stopped has left a record"
expect 0 'checking points .*core-seconds' "$CUZK" check "$file"
expect 0 'checked before, unchanged since' "$CUZK" check "$file"
