#!/usr/bin/env bash
# cuzk-bench prove on a device, an emulated one ($CUZK_BENCH_EMULATED), with each of its switches; and what programs without CUDA
# ($CUZK_BENCH, $CUZK_DAEMON, $CUZK) say when they are asked for a device.
set -euo pipefail
emulated=$CUZK_BENCH_EMULATED bench=$CUZK_BENCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

# refuses TEXT COMMAND...: exit 2, and the text on standard error.
refuses() {
    local text=$1 code=0
    shift
    "$@" > "$work/out" 2> "$work/error" || code=$?
    [ $code = 2 ] || fail "$*: exit $code, expected 2: $(cat "$work/error")"
    grep -qF -- "$text" "$work/error" || fail "$*: found $(cat "$work/error"), expected ...$text..."
}

chain=(prove chain --log2 5 --params "$work")
for switches in "--pinning=mapped --windows=h=6,b_g2=3" "--pinning=registered --b-g2=host" "--presize=off --keep=off"; do
    # shellcheck disable=SC2086 # several words
    "$emulated" "${chain[@]}" --device 1 $switches --iterations 2 --json > "$work/json"
    python3 - "$work/json" <<'PYTHON' || fail "$switches: see above"
import json, sys
result = json.load(open(sys.argv[1]))
assert result["verified"] and result["device"] == "emulated device 1", result
phases = {p["name"]: p["wall_us"] for p in result["iterations"][1]["phases"]}
for name in "encode", "upload", "download", "MSM h", "MSM b_g2":
    assert name in phases, (name, phases)
PYTHON
done
# Two configurations, compared.
"$emulated" ab --rounds 1 --json "${chain[@]}" --device 0 -- "${chain[@]}" --device 0 --pinning=staged | grep -q '"b_to_a"' || fail "ab"

"$bench" "${chain[@]}" --json > "$work/json"
! grep -q '"device"\|"upload"' "$work/json" || fail "the CPU's phases have a device's"
refuses "--pinning: found foo, expected staged, mapped or registered" "$emulated" "${chain[@]}" --device 0 --pinning foo
refuses "--presize: found yes, expected on or off" "$emulated" "${chain[@]}" --device 0 --presize yes
refuses "--b-g2: found gpu, expected device or host" "$emulated" "${chain[@]}" --device 0 --b-g2 gpu
refuses "--windows: found it without --device" "$emulated" "${chain[@]}" --windows h=5
refuses "--device: device 7: there are 2 devices" "$emulated" "${chain[@]}" --device 7
refuses '--device: windows: found "q=3"' "$emulated" "${chain[@]}" --device 0 --windows q=3
refuses "--scratch: found it with --device" "$emulated" "${chain[@]}" --device 0 --scratch "$work"
refuses "--device: found 0, but this cuzk-bench was built without CUDA; build it with -DCUZK_CUDA=ON" "$bench" "${chain[@]}" --device 0
refuses "--device: found 0, but this cuzk was built without CUDA; build it with -DCUZK_CUDA=ON" \
    "$CUZK" prove tests/data/jobs/window-post-v1/job.json --out "$work/proof" --device 0
printf '[daemon]\nstate_dir = "%s/state"\n[gpus]\ndevices = [1, 0]\n' "$work" > "$work/daemon.toml"
refuses "gpus.devices: found 1 and others, but this program was built without CUDA; build it with -DCUZK_CUDA=ON, or leave the key out" \
    "$CUZK_DAEMON" --config "$work/daemon.toml"
echo "devices on the command line: well"
