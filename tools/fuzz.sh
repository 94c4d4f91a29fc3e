#!/usr/bin/env bash
# Runs every fuzz target of the build folder for a number of seconds, from its seed corpus.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 seconds=$2
export ASAN_SYMBOLIZER_PATH=${ASAN_SYMBOLIZER_PATH:-$(command -v llvm-symbolizer-14 || true)}
run() {
    local target=$1 name corpus
    name=$(basename "$target")
    corpus=$(mktemp -d)
    "$target" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=0 -verbosity=0 \
        -artifact_prefix="$build/$name-" "$corpus" "fuzz/corpus/$name"
    echo "fuzz: $name: $seconds s, $(ls "$corpus" | wc -l) new inputs, no finding"
    rm -rf "$corpus"
}
export -f run
export build seconds
find "$build/fuzz" -name 'fuzz_*' -type f -executable | sort | xargs -P "$(nproc)" -I{} bash -c 'run {} 2>"{}.log" || { cat "{}.log"; exit 255; }'
