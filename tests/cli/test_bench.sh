# cuzk-bench without a daemon: synth-only, ab, report.
source "$(dirname "$0")/common.sh"
bench=$CUZK_BUILD_DIR/cuzk-bench
[ -x "$bench" ] || { echo "cuzk-bench is not built"; exit 0; }
job=$jobs/window-post-v1/job.json
member() { python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }

expect 0 'window-2KiB: 1 partition of 21866 constraints, strategy compact.*' "$bench" synth-only "$job" -t 1
expect 0 'median' "$bench" synth-only --c1 "$jobs/porep-StackedDrg2KiBV1/c1.json" -i 2 -p 0
for strategy in compact kept vec inline1 inline2 inline4; do
    "$bench" synth-only "$job" -t 1 -i 2 --strategy $strategy --json >"$work/$strategy.json"
    [ "$(member "$work/$strategy.json" constraints)" = 21866 ] || fail "$strategy: other constraints"
    [ "$(member "$work/$strategy.json" strategy)" = $strategy ] || fail "$strategy: another strategy"
done
"$bench" synth-only "$job" -t 1 --strategy inline2 --presize --allocator arena --json >"$work/arena.json"
[ "$(member "$work/vec.json" term_allocations)" -gt "$(member "$work/inline1.json" term_allocations)" ] || fail "inline terms allocate as much as vectors"
[ "$(member "$work/inline1.json" term_allocations)" -gt "$(member "$work/inline4.json" term_allocations)" ] || fail "1 inline term serves as well as 4"
[ "$(member "$work/arena.json" term_allocations)" = "$(member "$work/inline2.json" term_allocations)" ] || fail "an arena grows terms more often"

refused 'give JOB.json or --c1' "$bench" synth-only
refused 'give one of them' "$bench" synth-only "$job" --c1 "$job"
refused '--strategy: found smallvec, expected compact' "$bench" synth-only "$job" --strategy smallvec
refused '--allocator: found jemalloc, expected malloc or arena' "$bench" synth-only "$job" --strategy vec --allocator jemalloc
refused 'expected one of the classic ones' "$bench" synth-only "$job" --presize
refused 'nothing.json' "$bench" synth-only "$work/nothing.json"

expect 0 'B takes [0-9.]+ times as long as A; 95 % confidence.*|the difference is real' "$bench" ab -n 6 "$job" -s kept -t 1 -- "$job" -s compact -t 1
expect 0 'too few rounds' "$bench" ab -n 2 synth-only "$job" -t 1 -- synth-only "$job" -t 1
expect 0 'more than one argument' "$bench" ab -n 2 "$job" -t 1 -s kept -- "$job" -t 2 -s compact
"$bench" ab -n 6 --json "$job" -s kept -t 1 -- "$job" -s compact -t 1 >"$work/ab.json"
[ "$(member "$work/ab.json" differs)" = True ] || fail "compact is not faster than classic"
refused 'expected the arguments of A, --' "$bench" ab "$job"
refused '--metric: found cycles' "$bench" ab --metric cycles "$job" -- "$job"
"$bench" ab -n 1 "$work/nothing.json" -- "$job" 2>"$work/stderr" && fail "a configuration that fails is compared"
grep -q 'configuration A failed' "$work/stderr" || fail "no word about the configuration that failed"

"$bench" report "$work"/*.json --out "$work/chart.svg"
[ "$(grep -c '<rect' "$work/chart.svg")" = 9 ] || fail "the chart has not one bar for each configuration"
python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/chart.svg"
refused 'expected what synth-only' "$bench" report "$job" --out "$work/other.svg"
[ ! -e "$work/other.svg" ] || fail "a chart of nothing"
