# Helpers of the command-line tests. $CUZK is the binary, $work a fresh folder that goes away at the end.
set -euo pipefail
data=$CUZK_SOURCE_DIR/tests/data
jobs=$data/jobs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "FAILED: $*" >&2; exit 1; }

# expect CODE PATTERN COMMAND...: the exit code, and an extended regular expression that stdout and stderr together match.
expect() {
    local code=$1 pattern=$2 output found=0
    shift 2
    output=$("$@" 2>&1) || found=$?
    [ "$found" = "$code" ] || fail "exit code $found, expected $code: $* -> $output"
    grep -qE -- "$pattern" <<<"$output" || fail "output does not match '$pattern': $* -> $output"
}

# refused PATTERN COMMAND...: exit code 2, nothing on stdout, exactly one line on stderr that matches.
refused() {
    local pattern=$1 found=0
    shift
    "$@" >"$work/stdout" 2>"$work/stderr" || found=$?
    [ "$found" = 2 ] || fail "exit code $found, expected 2: $* -> $(head -c 500 "$work/stderr")"
    [ ! -s "$work/stdout" ] || fail "output although refused: $*"
    [ "$(wc -l <"$work/stderr")" = 1 ] || fail "$(wc -l <"$work/stderr") lines of error: $* -> $(cat "$work/stderr")"
    grep -qE -- "$pattern" "$work/stderr" || fail "error does not match '$pattern': $* -> $(cat "$work/stderr")"
}

# True if the binary is instrumented: AddressSanitizer reserves terabytes of address space, so that it does not start in little.
instrumented() { ! { (ulimit -v 524288 && "$CUZK" --version); } >/dev/null 2>&1; }

# flip FILE OFFSET: inverts the lowest bit of one byte.
flip() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
    printf "\\x$(printf %x $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
