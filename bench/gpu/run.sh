#!/usr/bin/env bash
# Builds for the GPU at hand, runs the device tests there, times its parts and whole proofs, and writes one JSON file, within ten
# minutes: what there was no time for is named in the file.
# usage: bench/gpu/run.sh [--emulated] BUILD OUT.json
# nvcc is $CUZK_NVCC, or nvcc in PATH. LOG_SIZE and CHAIN_LOG_SIZE are the largest transforms and sums (24), and proofs (20).
# --emulated: the same steps, small, over emulated devices and without nvcc, to see that they work; its times say nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."
kind=gpu
if [ "${1:-}" = --emulated ]; then kind=emulated && shift; fi
[ $# -eq 2 ] || { sed -n '4s/^# //p' "$0" >&2; exit 2; }
build=$1 out=$2
started=$SECONDS
limit=570 # seconds, of which the last are for the file

mkdir -p "$build"
build=$(cd "$build" && pwd)
steps=$build/steps
rm -rf "$steps"
mkdir -p "$steps"
if [ $kind = gpu ]; then
    nvcc=${CUZK_NVCC:-$(command -v nvcc || true)}
    [ -x "$nvcc" ] || { echo "run: no nvcc in CUZK_NVCC or PATH (tools/fetch-nvcc.sh brings one)" >&2; exit 2; }
    architecture=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
    options=(-DCUZK_CUDA=ON "-DCUZK_NVCC=$nvcc" "-DCUZK_CUDA_ARCHITECTURES=$architecture") # only what runs here
    suffix=gpu bench=$build/cuzk-bench measure=$build/bench/measure_gpu
    log_size=${LOG_SIZE:-24} chain=${CHAIN_LOG_SIZE:-20} rounds=6
    tests=(field ntt rows msm_g1 msm_g2 prover large)
    machine=$(nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv,noheader | head -1)
    compiler=$("$nvcc" --version | tail -1)
else
    options=()
    suffix=cuda bench=$build/bench/cuzk-bench-emulated measure=$build/bench/measure_emulated
    log_size=${LOG_SIZE:-10} chain=${CHAIN_LOG_SIZE:-5} rounds=1
    tests=(field ntt rows msm_g1 msm_g2)
    machine=emulated compiler=none
fi

# step NAME SECONDS COMMAND...: runs it for so long at most; output and result go to files, a failure is told and the next step runs.
step() {
    local name=$1 most=$2 left=$((limit - (SECONDS - started))) began=$SECONDS code=0 result=passed
    shift 2
    if [ $left -lt 5 ]; then
        result=skipped
    else
        timeout $((most < left ? most : left)) "$@" > "$steps/$name.out" 2> "$steps/$name.err" || code=$?
        if [ $code = 124 ]; then result=timeout; elif [ $code != 0 ]; then result=failed; fi
    fi
    echo "$name $result $((SECONDS - began))" >> "$steps/results"
    [ $result = passed ] || echo "run: $name: $result, see $steps/$name.err" >&2
    [ $result = passed ]
}

# compare NAME SWITCH...: proofs with a switch against those without, wall seconds.
compare() {
    local name=$1
    shift
    step "ab-$name" 60 "$bench" ab --rounds $rounds --metric wall --json "${prove[@]}" -- "${prove[@]}" "$@" || true
}

targets=(cuzk cuzk-daemon "measure_$kind" "$(basename "$bench")")
for test in "${tests[@]}"; do targets+=("test_${test}_$suffix"); done

if step configure 60 cmake -S . -B "$build" -G Ninja -DCUZK_BENCH=ON "${options[@]}" && step build 300 ninja -C "$build" "${targets[@]}"; then
    for test in "${tests[@]}"; do
        step "test-$test" 60 "$build/tests/test_${test}_$suffix" || true
    done
    step measure 150 "$measure" "$log_size" || true
    parameters=$build/chain-parameters
    mkdir -p "$parameters"
    prove=(prove chain --log2 "$chain" --params "$parameters" --iterations 3 --warm-up 2 --device 0)
    # The first makes the parameters; its proofs are the CPU's, to compare with.
    step prove-cpu 120 "$bench" prove chain --log2 "$chain" --params "$parameters" --iterations 1 --json || true
    step prove-device 60 "$bench" "${prove[@]}" --json || true
    compare keep --keep=off
    compare mapped --keep=off --pinning=mapped
    compare registered --keep=off --pinning=registered
    compare presize --keep=off --presize=off
    compare b-g2 --b-g2=host
    compare windows "--windows=h=$((chain > 12 ? chain - 8 : 4))"
fi

python3 - "$steps" "$out" "$kind" "$machine" "$compiler" <<'PYTHON'
import datetime, json, pathlib, sys

steps, out, kind, machine, compiler = pathlib.Path(sys.argv[1]), *sys.argv[2:]
document = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "kind": kind, "gpu": machine,
            "nvcc": compiler, "steps": [], "measurements": {}}
for line in (steps / "results").read_text().splitlines():
    name, result, seconds = line.split()
    entry = {"name": name, "result": result, "seconds": int(seconds)}
    if result != "passed" and (steps / f"{name}.err").exists():
        entry["error"] = (steps / f"{name}.err").read_text()[-2000:]
    document["steps"].append(entry)
    if result == "passed" and name.startswith(("measure", "prove-", "ab-")):
        document["measurements"][name] = json.loads((steps / f"{name}.out").read_text())
document["all_passed"] = all(s["result"] == "passed" for s in document["steps"])
pathlib.Path(out).write_text(json.dumps(document, indent=1) + "\n")
print(f"{out}: {len(document['steps'])} steps, all passed" if document["all_passed"] else f"{out}: not all steps passed")
sys.exit(0 if document["all_passed"] else 1)
PYTHON
