#!/usr/bin/env bash
# Runs one tests/daemon/test_NAME.mjs under Node, with a gRPC client that is not ours (@grpc/grpc-js) from the package
# registry in the build folder. Exit code 77 (skipped) where Node or the registry is missing; with CUZK_REQUIRE_EVERYTHING 1.
# Needs CUZK_BUILD_DIR and CUZK_SOURCE_DIR; CUZK_DAEMON, CUZK_FAKE_DAEMON and CUZK_BENCH name the programs.
set -euo pipefail
test=$1
here=$CUZK_SOURCE_DIR/tests/daemon
packages=$CUZK_BUILD_DIR/node
skip() {
    echo "skipped: $*"
    [ -z "${CUZK_REQUIRE_EVERYTHING:-}" ] || exit 1
    exit 77
}

command -v node >/dev/null || skip "node is not installed"
command -v npm >/dev/null || skip "npm is not installed"
mkdir -p "$packages"
exec 9>"$packages/lock"
flock 9
if ! cmp -s "$here/package-lock.json" "$packages/installed-lock.json"; then
    cp "$here/package.json" "$here/package-lock.json" "$packages/"
    (cd "$packages" && npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1) ||
        skip "the packages of tests/daemon/package.json could not be installed ($packages/npm.log)"
    cp "$here/package-lock.json" "$packages/installed-lock.json"
fi
flock -u 9
exec 9>&-
export CUZK_NODE_PACKAGES=$packages
exec node "$test"
