# cuzk-bench prove: a small chain and a job, as text and JSON, alone, compared and drawn.
source "$(dirname "$0")/common.sh"
bench=$CUZK_BUILD_DIR/cuzk-bench
[ -x "$bench" ] || { echo "cuzk-bench is not built"; exit 0; }
check() { python3 - "$1" <<<"$2"; }
export TMPDIR=$work

# A chain's parameters are made for the run, or kept where one says.
expect 0 '^chain-2\^8: 1 partition of 253 constraints, domain 2\^8, 2 threads, (portable|avx2|ifma) arithmetic; proofs verified' "$bench" prove chain --log2 8 -t 2
[ -z "$(find "$work" -name 'cuzk-bench-*')" ] || fail "a temporary folder is left"
"$bench" prove chain --log2 9 --params "$work/chain" -i 2 --warm-up 1 -t 1 --json >"$work/chain.json"
[ -s "$work/chain/chain-9.params" ] || fail "no parameters are kept"
check "$work/chain.json" '
import json, sys
r = json.load(open(sys.argv[1]))
assert r["benchmark"] == "prove" and r["circuit"] == "chain-2^9" and r["verified"] and r["within_limit"], r
assert r["constraints"] == 509 and r["aux"] == 509 and r["domain_log_size"] == 9 and r["threads"] == 1
assert r["setup"]["cpu_us"] > 0 and len(r["iterations"]) == 2 and len(r["proof"]) == 384
assert r["parameter_bytes_read"] == 96 * (511 + 509 + 511 + 509) + 192 * 509, r["parameter_bytes_read"]
assert r["peak_limit_bytes"] == 64 * 512 + (512 << 20) and 0 < r["peak_resident_bytes"]
for name in ("fr_products", "fp_products", "fp_squares", "fp2_products", "fp2_squares", "bytes"):
    assert r["rates"][name]["per_core_second"] > 0 and r["rates"][name]["per_second"] > 0
for i in r["iterations"]:
    names = [p["name"] for p in i["phases"]]
    assert len(names) == len(set(names)) == 19 and names[0] == "synthesis" and names[-1] == "verification", names
    assert sum(p["wall_us"] for p in i["phases"]) <= i["wall_us"] * 1.01 + 100
    transforms = [p for p in i["phases"] if "coset" in p["name"] or "interpolate" in p["name"]]
    assert len(transforms) == 6 and all(p["fr_products"] == 256 * 9 + 1 for p in transforms)
    assert [s["name"] for s in i["sums"]] == ["MSM h", "MSM l", "MSM a", "MSM b_g1", "MSM b_g2"]
    for s in i["sums"]:
        phase = next(p for p in i["phases"] if p["name"] == s["name"])
        field = "fp2" if s["name"] == "MSM b_g2" else "fp"
        assert s["additions"] > s["wide"] > 500 and phase[field + "_squares"] == s["additions"]
        assert phase["products_us"] > 0 and phase["traffic_us"] > 0
'
"$bench" prove chain -k 9 --params "$work/chain" -t 2 --json >"$work/again.json"
check "$work/again.json" 'import json, sys; assert "setup" not in json.load(open(sys.argv[1])), "parameters are made again"'

# A job, with parameters where the others look for them.
"$CUZK" setup window 2KiB --out "$work/params" --quiet >/dev/null
job=$jobs/window-post-v1/job.json
expect 0 'window-2KiB: 1 partition of 21866 constraints' env FIL_PROOFS_PARAMETER_CACHE="$work/params" "$bench" prove "$job"
"$bench" prove "$job" --params "$work/params" --json >"$work/job.json"
check "$work/job.json" '
import json, sys
r = json.load(open(sys.argv[1]))
assert r["circuit"] == "window-2KiB" and r["verified"] and "setup" not in r
sums = r["iterations"][0]["sums"]
assert sums[1]["zeros"] + sums[1]["ones"] + sums[1]["wide"] == r["aux"] and sums[1]["wide"] > sums[1]["ones"] > 0
'

# Compared and drawn.
expect 0 'B takes [0-9.]+ times as long as A' "$bench" ab -n 2 prove chain -k 9 -t 1 --params "$work/chain" -- prove chain -k 9 -t 2 --params "$work/chain"
"$bench" report "$work/chain.json" "$work/job.json" --out "$work/chart.svg"
grep -q 'chain-2^9 proof' "$work/chart.svg" || fail "the chart does not name the chain"

refused 'expected the size of the chain' "$bench" prove chain
refused 'found a job' "$bench" prove "$job" --log2 9
refused '--log2: found 2, expected a number from 3 to 27' "$bench" prove chain --log2 2
refused 'no parameter directory' env -u FIL_PROOFS_PARAMETER_CACHE "$bench" prove "$job"
refused 'cannot open' "$bench" prove "$job" --params "$work/chain"
refused 'nothing.json' "$bench" prove "$work/nothing.json" --params "$work/params"
