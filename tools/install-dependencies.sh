#!/usr/bin/env bash
# Installs the Debian packages that the build needs, if any is missing, and brings blst.
# With --developer also what CI's further checks need (clang, clang-tidy, sanitizer and fuzzer runtimes).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

packages=(gcc g++ make cmake ninja-build pkg-config libssl-dev libyajl-dev libsqlite3-dev libcmocka-dev xz-utils
    libgrpc-dev grpc-proto protobuf-compiler protobuf-c-compiler libprotobuf-c-dev libtomlplusplus-dev libmicrohttpd-dev)
command -v cargo >/dev/null || packages+=(cargo)
if [ "${1:-}" = --developer ]; then
    packages+=(clang-14 clang-tidy-14 libclang-rt-14-dev chromium openssl ca-certificates qemu-user
        bochs bochsbios vgabios bochs-term)
    command -v npm >/dev/null || packages+=(nodejs npm)
fi

missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "installing: ${missing[*]}"
    as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
"$root/third_party/fetch-blst.sh"
