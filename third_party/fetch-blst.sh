#!/usr/bin/env bash
# Brings blst at the pinned version from its Rust crate into DIR (default: .deps/blst) and checks every file
# that the build uses against third_party/blst.sha256. Nothing is built by cargo: it only downloads and unpacks.
set -euo pipefail
version=0.3.17
root=$(cd "$(dirname "$0")/.." && pwd)
target=${1:-$root/.deps/blst}

verify() { (cd "$1" && sha256sum --quiet --strict -c "$root/third_party/blst.sha256"); }

if [ -d "$target" ] && verify "$target" 2>/dev/null; then
    exit 0
fi
command -v cargo >/dev/null || { echo "fetch-blst: cargo is missing; run 'make dependencies'" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/src"
: > "$work/src/lib.rs"
printf '[package]\nname = "fetch"\nversion = "0.0.0"\n[dependencies]\nblst = "=%s"\n' "$version" > "$work/Cargo.toml"
(cd "$work" && cargo vendor vendor >/dev/null 2>log) || { cat "$work/log" >&2; exit 1; }
if ! verify "$work/vendor/blst/blst"; then
    echo "fetch-blst: the files of blst $version differ from third_party/blst.sha256; not used" >&2
    exit 1
fi
rm -rf "$target"
mkdir -p "$(dirname "$target")"
mv "$work/vendor/blst/blst" "$target"
