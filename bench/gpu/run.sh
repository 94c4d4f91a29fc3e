#!/usr/bin/env bash
# Builds for the GPU at hand, runs the device tests there, measures, and writes one JSON file; some minutes.
# usage: bench/gpu/run.sh BUILD OUT.json   (nvcc from $CUZK_NVCC or PATH; LOG_SIZE for the largest measurement, 24)
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -eq 2 ] || { sed -n '3s/^# //p' "$0" >&2; exit 2; }
build=$1 out=$2
nvcc=${CUZK_NVCC:-$(command -v nvcc || true)}
[ -x "$nvcc" ] || { echo "run: no nvcc in CUZK_NVCC or PATH (tools/fetch-nvcc.sh brings one)" >&2; exit 2; }

# Only what this machine's device runs.
architecture=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
cmake -S . -B "$build" -G Ninja -DCUZK_CUDA=ON -DCUZK_NVCC="$nvcc" -DCUZK_CUDA_ARCHITECTURES="$architecture" > "$build.log"
tests=(test_field_gpu test_ntt_gpu test_rows_gpu test_msm_g1_gpu test_msm_g2_gpu test_prover_gpu)
ninja -C "$build" "${tests[@]}" measure_gpu >> "$build.log"

passed=true
for test in "${tests[@]}"; do
    "$build/tests/$test" > "$build/$test.log" 2>&1 || { passed=false; echo "run: $test failed, see $build/$test.log" >&2; }
done
timeout 400 "$build/bench/measure_gpu" "${LOG_SIZE:-24}" > "$build/measure.json"
{
    printf '{"date": "%s", "gpu": "%s", "nvcc": "%s", "tests_passed": %s, "measurements": ' "$(date -u +%FT%TZ)" \
        "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)" "$("$nvcc" --version | tail -1)" "$passed"
    cat "$build/measure.json"
    echo '}'
} > "$out"
$passed
