#!/usr/bin/env bash
# Other Groth16 provers beside this one: the same statements, two threads, in turns. Writes a Markdown table to stdout.
#
#   bench/peers/run.sh [--log2 K] [--threads N] [--job JOB.json --params DIR] [--without NAME]...
#
# The chain of 2^K squarings (default 2^18; 0 leaves it out) is proved three times by each of cuzk, bellperson, arkworks and
# gnark. A prover sets up, then waits, stopped by a signal, until it is its turn to make the next proof, so what else happens
# on the machine falls on all alike. A job is proved once by cuzk and once by bellperson, which needs its parameters in DIR.
# Core-seconds are user and system time; they can be compared on a busy machine, seconds of wall time only on an idle one.
#
# CUZK_BUILD_DIR  where cuzk and cuzk-bench are (default: build)
# CUZK_PEER       the program cuzk-peer of the reference data (default: built from ../shared/peer)
# bellperson and arkworks are left out without cargo, gnark without go; the table says so. They are only run, never linked.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${CUZK_BUILD_DIR:-build} work=$PWD/build/peers
log_size=18 threads=2 job= params= without=" "
proofs=3 # as many as cuzk-peer makes

fail() { echo "bench/peers/run.sh: $*" >&2; exit 2; }
note() { echo "$*" >&2; }

while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || fail "$1: found no value, or an unknown option"
    case $1 in
    --log2) log_size=$2 ;;
    --threads) threads=$2 ;;
    --job) job=$2 ;;
    --params) params=$2 ;;
    --without) without+="$2 " ;;
    *) fail "unknown option $1" ;;
    esac
    shift 2
done
[ -x "$build/cuzk-bench" ] || fail "$build/cuzk-bench is not built"
[ -z "$job" ] || [ -d "$params" ] || fail "--job needs --params DIR"
mkdir -p "$work"

# ---- Building ---------------------------------------------------------------------------------------------------------------

wanted() { [[ $without != *" $1 "* ]]; }
missing=()

build_bellperson() {
    peer=${CUZK_PEER:-$work/peer/target/release/cuzk-peer}
    [ -x "$peer" ] && return
    local source=${CUZK_SHARED:-../shared}/peer
    command -v cargo >/dev/null && [ -d "$source" ] || return 1
    rm -rf "$work/peer" && cp -r "$source" "$work/peer" && chmod -R u+w "$work/peer"
    cargo build --release --manifest-path "$work/peer/Cargo.toml" >&2
}
build_arkworks() {
    [ "$work/arkworks/target/release/arkworks-chain" -nt bench/peers/arkworks/src/main.rs ] && return
    command -v cargo >/dev/null || return 1
    cp -r bench/peers/arkworks "$work/"
    RUSTFLAGS="-C target-cpu=native" cargo build --release --manifest-path "$work/arkworks/Cargo.toml" >&2
}
build_gnark() {
    command -v go >/dev/null || return 1
    (cd bench/peers/gnark && go build -o "$work/gnark-chain" .) >&2
}

provers=(cuzk)
for name in bellperson arkworks gnark; do
    if [ "$log_size" = 0 ] && [ $name != bellperson ]; then
        continue # nothing to do for them
    elif ! wanted $name; then
        missing+=("$name: left out")
    elif "build_$name"; then
        provers+=("$name")
    else
        missing+=("$name: cannot be built here")
    fi
done

# ---- Turns ------------------------------------------------------------------------------------------------------------------

declare -A pid input setup_cpu cpu wall
finish() { for name in "${!pid[@]}"; do kill -KILL "${pid[$name]}" 2>/dev/null || true; done; }
trap finish EXIT

start() {
    local name=$1
    shift
    rm -f "$work/$name.out" && mkfifo "$work/$name.out"
    "$@" >"$work/$name.out" &
    pid[$name]=$!
    exec {input[$name]}<"$work/$name.out"
}

start_prover() {
    case $1 in
    cuzk) start cuzk "$build/cuzk-bench" prove chain --log2 "$log_size" --iterations $proofs --threads "$threads" ;;
    bellperson) RAYON_NUM_THREADS=$threads BELLMAN_NO_GPU=1 start bellperson "$peer" chain-setup-prove "$log_size" ;;
    arkworks) RAYON_NUM_THREADS=$threads start arkworks "$work/arkworks/target/release/arkworks-chain" "$log_size" $proofs ;;
    gnark) GOMAXPROCS=$threads start gnark "$work/gnark-chain" "$log_size" $proofs ;;
    esac
}

cpu_ticks() {
    local fields
    read -r -a fields <"/proc/$1/stat"
    echo $((fields[13] + fields[14]))
}

# Lets a prover run until it says that what it is at is done; adds the seconds it took to a list.
turn() {
    local name=$1 word=$2 line before began
    before=$(cpu_ticks "${pid[$name]}") began=$EPOCHREALTIME
    kill -CONT "${pid[$name]}"
    while read -r line <&"${input[$name]}"; do
        [[ $line == "$word"* ]] && break
    done
    kill -STOP "${pid[$name]}" 2>/dev/null || fail "$name ended early"
    last_wall=$(awk "BEGIN { print $EPOCHREALTIME - $began }")
    last_cpu=$(awk "BEGIN { print ($(cpu_ticks "${pid[$name]}") - $before) / $(getconf CLK_TCK) }")
    note "$name $word: $last_wall s, $last_cpu core-seconds"
}

median() { tr ' ' '\n' <<<"$1" | grep . | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

chain_rows() {
    local name reference
    for name in "${provers[@]}"; do
        start_prover "$name"
        turn "$name" setup
        setup_cpu[$name]=$last_cpu
    done
    for ((round = 0; round < proofs; round++)); do
        for name in "${provers[@]}"; do
            turn "$name" prove
            cpu[$name]+=" $last_cpu" wall[$name]+=" $last_wall"
        done
    done
    reference=$(median "${cpu[cuzk]}")
    for name in "${provers[@]}"; do
        { kill -KILL "${pid[$name]}" && wait "${pid[$name]}"; } 2>/dev/null || true
        unset "pid[$name]"
        printf '| chain of 2^%s | %s | %.1f | %.2f | %.2f | %.2f |\n' "$log_size" "$name" "${setup_cpu[$name]}" \
            "$(median "${cpu[$name]}")" "$(median "${wall[$name]}")" "$(awk "BEGIN { print $(median "${cpu[$name]}") / $reference }")"
    done
}

# ---- A job ------------------------------------------------------------------------------------------------------------------

# Runs a command; sets last_wall and last_cpu.
timed() {
    local TIMEFORMAT='%R %U %S' times
    times=$({ time "$@" >"$work/stdout" 2>"$work/stderr"; } 2>&1) || fail "$* failed: $(tail -3 "$work/stderr")"
    read -r last_wall user system <<<"$times"
    last_cpu=$(awk "BEGIN { print $user + $system }")
}

job_rows() {
    local reference kind
    kind=$(basename "$(dirname "$job")")
    timed "$build/cuzk" prove "$job" --params "$params" --out "$work/proof.bin" --threads "$threads" --quiet
    reference=$last_cpu
    printf '| %s | cuzk | | %.2f | %.2f | 1.00 |\n' "$kind" "$last_cpu" "$last_wall"
    [[ " ${provers[*]} " == *" bellperson "* ]] || return 0
    FIL_PROOFS_PARAMETER_CACHE=$params RAYON_NUM_THREADS=$threads BELLMAN_NO_GPU=1 timed "$peer" prove "$job" "$work/peer-proof.bin"
    printf '| %s | bellperson | | %.2f | %.2f | %.2f |\n' "$kind" "$last_cpu" "$last_wall" "$(awk "BEGIN { print $last_cpu / $reference }")"
}

echo "Load when this began: $(cut -d' ' -f1-3 /proc/loadavg) on $(nproc) processors, $threads threads each."
[ ${#missing[@]} = 0 ] || printf 'Missing: %s.\n' "${missing[@]}"
echo
echo "| statement | prover | setup, core-seconds | proof, core-seconds | proof, seconds | core-seconds to cuzk's |"
echo "| --- | --- | --- | --- | --- | --- |"
[ "$log_size" = 0 ] || chain_rows
[ -z "$job" ] || job_rows
