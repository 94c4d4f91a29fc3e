# cuzk-bench gen-vanilla: sealed sectors on disk give the vanilla proofs of the reference's jobs, byte for byte.
source "$(dirname "$0")/common.sh"
bench=$(dirname "$CUZK")/cuzk-bench
sectors=$data/sectors
randomness=b5ec3384c10e0f1e25271f0edc110f7a6c0c4261837f5d0742568cf07e380f32
comm_r_0=b4f125f15f8abea5149cc493776b6e14bfaa411db45fd65063a9bfaf00e44b22
comm_r_1=99ec8f11fdc936074216c851c9cf9dace95dc2be2b133119d1aa4e6f025ba126

# element JOB N: the N-th vanilla proof of a job, as a list of its own.
element() { python3 -c 'import json,sys; print(json.dumps([json.load(open(sys.argv[1]))[int(sys.argv[2])]]), end="")' "$jobs/$1/vanilla.json" "$2"; }
# post KIND NUMBER SECTOR_NUMBER SECTOR COMM_R
post() {
    "$bench" gen-vanilla "$1" --registered-proof "$2" --sector-num "$3" --miner-id 1002 --randomness $randomness --comm-r "$5" \
        --sealed "$sectors/$4/sealed" --cache "$sectors/$4/cache" -o "$work/out" >/dev/null
}
same() { [ "$(tr -d ' \n' <"$work/out")" = "$(element "$1" "$2" | tr -d ' \n')" ] || fail "$1, proof $2 differs"; }

post winning-post 0 21 s0 $comm_r_0
same winning-post 0
post window-post 10 21 s0 $comm_r_0
same window-post-v1_2 0
post window-post 10 24 s1 $comm_r_1
same window-post-v1_2 1

# CIDs are base32 of version 1, codec, hash and length, and the 32 bytes.
cid() {
    python3 - "$1" "$2" <<'P'
import base64, sys
head = {"d": "0181e20392202" + "0", "r": "0182e20381e80220"}[sys.argv[1]]
print("b" + base64.b32encode(bytes.fromhex(head + sys.argv[2])).decode().lower().rstrip("="))
P
}
comm_d_new=9501aa49172eb0c31bc615b9927ba6b8c82b5d465ad93cda147a5d6e3b569a01
comm_r_new=a0c5d09bdd2cae39c92a69474423a9a44c2a594484e02e527aee752a6a1df73c
echo "d:$(cid d $comm_d_new) r:$(cid r $comm_r_0)" >"$work/old.txt"
echo "d:$(cid d $comm_d_new) r:$(cid r $comm_r_new)" >"$work/new.txt"
post window-post 10 21 s0 "$work/old.txt"
same window-post-v1_2 0
"$bench" gen-vanilla snap-prove --registered-proof 0 --orig-commdr "$work/old.txt" --update-commdr "$work/new.txt" \
    --sector-key "$sectors/s0/sealed" --sector-key-cache "$sectors/s0/cache" --replica "$sectors/s0/new-sealed" \
    --replica-cache "$sectors/s0/new-cache" -o "$work/out" >/dev/null
same snap-deals 0

refused 'comm_r|--comm-r' "$bench" gen-vanilla window-post --registered-proof 10 --sector-num 21 --randomness $randomness \
    --comm-r $comm_r_1 --sealed "$sectors/s0/sealed" --cache "$sectors/s0/cache" -o "$work/none"
refused '--cache: found nothing' "$bench" gen-vanilla window-post --registered-proof 10 --randomness $randomness --comm-r $comm_r_0 \
    --sealed "$sectors/s0/sealed" -o "$work/none"
refused '--registered-proof: found 3, expected a number of a window-post proof' "$bench" gen-vanilla window-post --registered-proof 3 \
    --randomness $randomness --comm-r $comm_r_0 --sealed x --cache y -o "$work/none"
[ ! -e "$work/none" ] || fail "a refused command left a file"
