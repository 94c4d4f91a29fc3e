#!/usr/bin/env bash
# clang-tidy over every source file of ours, two at a time. BUILD holds compile_commands.json.
set -euo pipefail
cd "$(dirname "$0")/.."
find src cmd -name '*.c' -print0 | xargs -0 -P "$(nproc)" -n 4 clang-tidy-14 -p "$1" --quiet
