# Proofs whose vectors are in scratch files: cuzk prove --scratch, and the same in cuzk-bench.
source "$(dirname "$0")/common.sh"
bench=$CUZK_BUILD_DIR/cuzk-bench
job=$jobs/window-post-v1/job.json
"$CUZK" setup window 2KiB --out "$work/params" --quiet >/dev/null
mkdir "$work/scratch"
prove=("$CUZK" prove "$job" --params "$work/params" --out "$work/proof.bin" --quiet)

expect 0 'proof.bin: 192 bytes' "${prove[@]}" --scratch "$work/scratch" --memory 3MiB -t 2
[ -z "$(ls -A "$work/scratch")" ] || fail "scratch files are left"
expect 0 "^valid" "$CUZK" verify "$job" "$work/proof.bin" --params "$work/params"

# What stands in the way is said in a line, and nothing is left.
rm "$work/proof.bin"
refused '--memory: found it without --scratch' "${prove[@]}" --memory 1GiB
refused 'memory for the transforms: found 1048576 bytes, expected at least [0-9]* for a domain of 2.15' "${prove[@]}" --scratch "$work/scratch" --memory 1MiB
expect 2 "$work/none: cannot make a scratch file there: No such file or directory" "${prove[@]}" --scratch "$work/none"
expect 3 'found a limit of 102400 bytes for a file .ulimit -f., expected 1048576 for a scratch file' \
    bash -c 'ulimit -f 100; exec "$@"' - "${prove[@]}" --scratch "$work/scratch"
[ -z "$(ls -A "$work/scratch")" ] || fail "scratch files are left"
[ ! -e "$work/proof.bin" ] || fail "there is a proof"

[ -x "$bench" ] || exit 0
"$bench" prove chain --log2 10 --params "$work/chain" --scratch "$work/scratch" --json >"$work/chain.json"
python3 - "$work/chain.json" <<'END'
import json, sys
i = json.load(open(sys.argv[1]))["iterations"][0]
assert i["scratch_bytes_written"] == 7 * 32 * 1024 and i["scratch_bytes_read"] == 7 * 32 * 1024 - 32, i
END
expect 0 'scratch files: 223.97 KiB read, 224.00 KiB written for each proof' "$bench" prove chain --log2 10 --params "$work/chain" --scratch "$work/scratch"
refused '--memory: found it without --scratch' "$bench" prove chain --log2 10 --params "$work/chain" --memory 1GiB
