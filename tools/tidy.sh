#!/usr/bin/env bash
# clang-tidy over every source file of ours, two at a time. BUILD holds compile_commands.json.
set -euo pipefail
cd "$(dirname "$0")/.."
# Without what only gcc knows (cmake/cpu_levels.cmake).
mkdir -p "$1/tidy"
sed 's/ -fschedule-insns -fsched-pressure//' "$1/compile_commands.json" > "$1/tidy/compile_commands.json"
find src cmd -name '*.c' -print0 | xargs -0 -P "$(nproc)" -n 4 clang-tidy-14 -p "$1/tidy" --quiet
