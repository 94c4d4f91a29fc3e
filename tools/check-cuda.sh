#!/usr/bin/env bash
# Compiles the programs with CUDA, warnings being errors, and looks at the kernels' spills. No GPU is needed.
# usage: tools/check-cuda.sh BUILD [ARCHITECTURES]   (80;86;89;90;100;120). nvcc is $CUZK_NVCC, one in PATH, or fetched.
# Exit 77 where there is no nvcc and it cannot be fetched.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { sed -n '3s/^# //p' "$0" >&2; exit 2; }
build=$1 architectures=${2:-80;86;89;90;100;120}
nvcc=${CUZK_NVCC:-$(command -v nvcc || true)}
mkdir -p "$build"
if [ ! -x "$nvcc" ]; then
    nvcc=$build/nvcc/nvidia/cu13/bin/nvcc
    code=0
    [ -x "$nvcc" ] || tools/fetch-nvcc.sh "$build/nvcc" > "$build/nvcc.log" 2>&1 || code=$?
    [ $code != 3 ] || { cat "$build/nvcc.log" >&2; exit 1; }
    [ $code = 0 ] || { echo "check-cuda: skipped, nvcc cannot be fetched: $(tail -1 "$build/nvcc.log")"; exit 77; }
    nvcc=$(cd "$(dirname "$nvcc")" && pwd)/nvcc
fi
cmake -S . -B "$build" -G Ninja -Wno-dev -DCUZK_WERROR=ON -DBUILD_TESTING=ON -DCUZK_CUDA=ON "-DCUZK_NVCC=$nvcc" \
    "-DCUZK_CUDA_ARCHITECTURES=$architectures" > /dev/null
ninja -C "$build" cuzk cuzk-daemon cuzk-bench test_prover_gpu > "$build/build.log" || { cat "$build/build.log"; exit 1; }
bench/gpu/registers.py "$build"
