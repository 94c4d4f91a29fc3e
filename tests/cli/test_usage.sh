# Help, examples, unknown words, exit codes.
source "$(dirname "$0")/common.sh"

commands='circuit digest memory setup prove verify verify-raw inspect check gen-vanilla'
expect 0 '^usage: cuzk COMMAND' "$CUZK" --help
expect 0 '^cuzk [0-9]+\.[0-9]+' "$CUZK" --version
expect 2 'usage: cuzk COMMAND' "$CUZK"
refused 'unknown command prov; did you mean prove' "$CUZK" prov
for command in $commands; do
    expect 0 "^usage: cuzk $command" "$CUZK" "$command" --help
    expect 0 '^example:' "$CUZK" "$command" --help
    "$CUZK" --help | grep -q "^  $command " || fail "$command is not in the list of commands"
done
refused 'found 0 arguments; usage: cuzk circuit KIND SIZE; for example: ' "$CUZK" circuit
refused 'KIND: found nonsense, expected porep, winning, window or snap' "$CUZK" circuit nonsense 2KiB
refused 'SIZE: found 3KiB, expected one of 2KiB, 4KiB' "$CUZK" circuit porep 3KiB
refused 'unknown option --partitoin; did you mean --partition' "$CUZK" digest x --partitoin 1
refused '--partition: found -1, expected a number' "$CUZK" digest x --partition -1
refused '--threads: found 0, expected a number from 1 to 1024' "$CUZK" setup window 2KiB --out "$work" --threads 0
refused '--out is given twice' "$CUZK" setup window 2KiB --out a --out b
refused '--out: found nothing, expected DIR' "$CUZK" setup window 2KiB --out
refused '--seed: found xyz, expected 64 hexadecimal digits' "$CUZK" setup window 2KiB --out "$work/p" --seed xyz
refused '/nonexistent/job.json: cannot open' "$CUZK" digest /nonexistent/job.json
refused 'no parameter directory: give --params DIR or set FIL_PROOFS_PARAMETER_CACHE' \
    env -u FIL_PROOFS_PARAMETER_CACHE "$CUZK" verify "$jobs/winning-post/job.json" "$jobs/winning-post/proof.bin"
refused 'parameter directory /nonexistent \(from FIL_PROOFS_PARAMETER_CACHE\): No such file' \
    env FIL_PROOFS_PARAMETER_CACHE=/nonexistent "$CUZK" verify "$jobs/winning-post/job.json" "$jobs/winning-post/proof.bin"
mkdir "$work/empty"
refused "no parameters for winning 2KiB in $work/empty \(from --params\)" \
    "$CUZK" prove "$jobs/winning-post/job.json" --params "$work/empty" --out "$work/proof"

# Examples run as they are printed, in a folder with the tests' data: those of the commands without arguments, and the first
# proof that cuzk alone tells of.
in_source_folder() {
    rm -rf "$work/source"
    mkdir "$work/source"
    ln -s "$CUZK_SOURCE_DIR/tests" "$work/source/tests"
    (cd "$work/source" && PATH=$(dirname "$CUZK"):$PATH bash -euo pipefail -c "$1") >"$work/example.log" 2>&1 ||
        fail "an example fails: $1 -> $(tail -n 3 "$work/example.log")"
}
instrumented && slow=yes || slow= # setups take minutes then, and other tests have them
examples=0
for command in $commands; do
    if [ "$command" = memory ]; then # it needs no arguments; its help has the example
        example=$("$CUZK" memory --help | sed -n '/^example:/{n;s/^ *//p}')
    else
        example=$({ "$CUZK" "$command" 2>&1 >/dev/null || true; } | sed -n 's/.*; for example: //p')
    fi
    [ -n "$example" ] || fail "cuzk $command without arguments prints no example"
    [[ $slow && $example == *setup* ]] || in_source_folder "$example"
    examples=$((examples + 1))
done
[ $examples = 10 ] || fail "$examples examples, expected 10"
first=$({ "$CUZK" 2>&1 || true; } | sed -n '/^A first proof/,$s/^  //p')
[ "$(wc -l <<<"$first")" = 3 ] || fail "the first proof takes other than 3 commands: $first"
if [ ! "$slow" ]; then
    in_source_folder "$first"
    grep -q '^valid' "$work/example.log" || fail "the first proof is not valid"
fi

# Memory by kind and size, without running anything.
"$CUZK" memory >"$work/memory"
for kind in porep winning window snap; do
    for size in 2KiB 8MiB 512MiB 32GiB 64GiB; do
        grep -qE "^$kind +$size +[0-9]+( +[0-9.]+){5}$" "$work/memory" || fail "no memory of $kind $size"
    done
done
refused 'SIZE: found nothing' "$CUZK" memory porep
refused 'KIND: found x' "$CUZK" memory x 2KiB
[ ! "$slow" ] || exit 0
"$CUZK" memory window 2KiB --json >"$work/memory.json"
"$CUZK" setup window 2KiB --out "$work/sized" --json >"$work/sized.json"
python3 - "$work/memory.json" "$work/sized.json" <<'P' || fail "another size of parameters than setup makes"
import json, sys
memory, made = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
sys.exit(len(memory) != 1 or memory[0]["parameters_bytes"] != made["params_bytes"])
P
