# Few bytes that ask for much memory, under an address space of 512 MiB; and proofs of 13 partitions at every other length.
source "$(dirname "$0")/common.sh"

# Under instrumentation the address space cannot be limited; all else is checked there too.
if instrumented; then limit=unlimited; else limit=524288; fi
limited() { (ulimit -v $limit && exec "$@"); }
params=$data/params
porep_key=$(ls "$params"/v28-stacked-*.vk)
window_key=$(ls "$params"/*0170db*.vk)
job=$jobs/window-post-v1/job.json
proof=$jobs/window-post-v1/proof.bin

# Lengths of keys and parameters: u32 BE counts that are the greatest, or of which 96 or 192 times are 2^32 and a little. In 100
# bytes, behind a whole key's head, and at each section of a file.
python3 - "$window_key" "$work" <<'P'
import struct, sys
key, work = open(sys.argv[1], "rb").read(), sys.argv[2]
counts = [2**32 - 1, 2**31, 2**32 // 96 + 1, 2**32 // 192 + 1]
for i, count in enumerate(counts):
    word = struct.pack(">I", count)
    open(f"{work}/short-{i}", "wb").write(word * 25)
    open(f"{work}/head-{i}", "wb").write(key[:864] + word)
    open(f"{work}/key-{i}", "wb").write(key[:864] + word + key[868:])
    for section in range(5):
        open(f"{work}/section-{i}-{section}", "wb").write(key + b"\0" * 4 * section + word)
P
mkdir "$work/named"
name=$(basename "${window_key%.vk}")
for file in "$work"/short-* "$work"/head-* "$work"/key-* "$work"/section-*; do
    cp "$file" "$work/named/$name.params"
    cp "$file" "$work/named/$name.vk"
    refused '(found|expected)' limited "$CUZK" inspect "$file"
    refused "$name.params: .*found" limited "$CUZK" check "$work/named/$name.params" --threads 1
    refused "$name.params: .*found" limited "$CUZK" prove "$job" --params "$work/named" --out "$work/none" --threads 1 --quiet
    refused "$name.vk: .*found" limited "$CUZK" verify "$job" "$proof" --params "$work/named" --threads 1
    refused "found" limited "$CUZK" verify-raw "$file" "$jobs/window-post-v1/inputs.json" "$proof" --threads 1
done
[ ! -e "$work/none" ] || fail "a refused prove left a file"

# Lengths in bincode. vanilla KIND PYTHON: a job of the kind whose first vanilla proof is what the expression makes of its bytes b.
vanilla() {
    rm -rf "${work:?}/job"
    cp -r "$jobs/$1" "$work/job"
    chmod -R u+w "$work/job"
    python3 - "$work/job/vanilla.json" "$2" <<'P'
import base64, json, struct, sys
proofs = json.load(open(sys.argv[1]))
b = base64.b64decode(proofs[0])
q = lambda value: struct.pack("<Q", value)
proofs[0] = base64.b64encode(eval(sys.argv[2])).decode()
json.dump(proofs, open(sys.argv[1], "w"))
P
}
hostile_vanilla() {
    vanilla "$1" "$2"
    refused "vanilla.json\\[0\\]: $3" limited "$CUZK" digest "$work/job/job.json" --threads 1
}
for length in 2**32-1 2**63 2**64-1 2**64//32+1 2**64//8+1; do
    # The number of sectors, then that of their inclusion proofs, behind the sector's number and comm_r.
    hostile_vanilla window-post-v1 "b[:40] + q($length) + b[48:]" 'vanilla_proof.sectors: found [0-9]+ elements, expected 1'
    hostile_vanilla winning-post "b[:48] + q($length) + b[56:]" '.*inclusion_proofs: found [0-9]+ elements, expected 66'
    hostile_vanilla window-post-v1 "b[:40] + q($length) + b[48:100]" 'vanilla_proof.sectors: found [0-9]+ elements'
    hostile_vanilla snap-deals "b[:32] + q($length) + b[40:]" 'apex_leafs: found [0-9]+ elements, expected 8'
done
hostile_vanilla window-post-v1 'b""' 'sector_id: found the end after 0 bytes'
hostile_vanilla window-post-v1 'b[:100]' '.*found the end after 100 bytes'

# JSON that nests, and texts without end.
hostile_json() {
    python3 -c "import sys; sys.stdout.write($1)" >"$work/hostile.json"
    refused 'hostile.json: ' limited "$CUZK" inspect "$work/hostile.json"
}
hostile_json "'[' * 10**6"
hostile_json "'{\"a\":' * 10**6"
hostile_json "'{\"' + 'k' * 10**6 + '\": 1}'"
hostile_json "'{\"registered_proof\": ' + '9' * 10**6 + '}'"
hostile_json "'{\"Phase1Out\": \"' + 'A' * 10**6 + '\"}'"

# What was resident at the most: the program, and no more than a few megabytes for files of a few bytes; and of a C1 output of
# 50 MB three times its size, its own pages included.
if [ $limit != unlimited ]; then
    "$CUZK" gen-vanilla porep --sector-size 32GiB --sparse --quiet --out "$work/large" >/dev/null
    python3 - "$CUZK" "$work" <<'P' || fail "a file takes too much memory"
import glob, os, subprocess, sys
cuzk, work = sys.argv[1:]
def peak(*arguments):
    process = subprocess.Popen([cuzk, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    return status, usage.ru_maxrss << 10
_, base = peak("--version")
for file in glob.glob(work + "/short-*") + glob.glob(work + "/key-*") + glob.glob(work + "/section-*"):
    _, found = peak("inspect", file)
    if found > base + (8 << 20):
        sys.exit(f"{file}: {found >> 10} KiB, expected at most 8 MiB more than the program's {base >> 10}")
_, found = peak("digest", work + "/job/job.json", "--threads", "1")
if found > base + (8 << 20):
    sys.exit(f"a vanilla proof of 100 bytes: {found >> 10} KiB")
size = os.path.getsize(work + "/large/c1.json")
status, found = peak("inspect", work + "/large/c1.json")
print(f"a C1 output of {size >> 20} MiB: {found >> 20} MiB resident")
sys.exit(status != 0 or size < 40 << 20 or found > 3 * size)
P
fi

# Proofs of 13 partitions: a published one 13 times over, and every cut of it.
"$CUZK" gen-vanilla porep --registered-proof 15 --quiet --out "$work/thirteen" >/dev/null
verify_thirteen() { limited "$CUZK" verify "$work/thirteen/job.json" "$1" --params "$params" --threads 1; }
for _ in {1..13}; do cat "$jobs/porep-StackedDrg2KiBV1_1/proof.bin"; done >"$work/proofs"
expect 1 '^INVALID' verify_thirteen "$work/proofs"
expect 1 'proof 0: ' verify_thirteen "$work/proofs"
for length in 0 1 191 192 193 384 576 768 960 1152 1344 1536 1728 1920 2112 2303 2304 2305 2495; do
    head -c $length "$work/proofs" >"$work/cut"
    refused "cut: proof: found $length bytes, expected 13 proofs of 192 bytes" verify_thirteen "$work/cut"
done
(cat "$work/proofs"; printf x) >"$work/cut"
refused 'cut: proof: found 2497 bytes, expected 13 proofs of 192 bytes' verify_thirteen "$work/cut"
cat "$work/proofs" "$jobs/porep-StackedDrg2KiBV1_1/proof.bin" >"$work/cut"
refused 'cut: proof: found 2688 bytes, expected 13 proofs of 192 bytes' verify_thirteen "$work/cut"
# Under a key that takes other inputs.
mkdir "$work/other"
cp "$window_key" "$work/other/$(basename "$porep_key")"
refused 'public inputs: found [0-9]+, expected 22' limited "$CUZK" verify "$work/thirteen/job.json" "$work/proofs" \
    --params "$work/other" --threads 1
