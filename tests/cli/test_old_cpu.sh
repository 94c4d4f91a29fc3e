# The binary on a CPU of 2008, without ADX, BMI2, AVX and SHA: it runs, on the portable level, and refuses a higher one.
source "$(dirname "$0")/common.sh"

refused 'CUZK_CPU: found avx512, expected portable, avx2 or ifma' env CUZK_CPU=avx512 "$CUZK" --version
expect 0 'arithmetic: portable$' env CUZK_CPU=portable "$CUZK" --version
expect 0 'arithmetic: (portable|avx2|ifma)$' "$CUZK" --version
# gcc's and clang's sanitizers do not run under qemu.
if ! command -v qemu-x86_64 >/dev/null || [ "$(uname -m)" != x86_64 ] || grep -q __asan_init "$CUZK" || grep -q __tsan_init "$CUZK"; then
    echo "no qemu-x86_64, or no binary for it: skipped"
    exit 0
fi
old() { qemu-x86_64 -cpu Nehalem "$@"; }
expect 0 'arithmetic: portable$' old "$CUZK" --version
refused 'CUZK_CPU: found ifma, .*highest level is portable' env CUZK_CPU=ifma qemu-x86_64 -cpu Nehalem "$CUZK" --version
for job in winning-post window-post-v1 porep-StackedDrg2KiBV1_1; do
    expect 0 '^valid' old "$CUZK" verify "$jobs/$job/job.json" "$jobs/$job/proof.bin" --params "$data/params"
done
sums=$CUZK_BUILD_DIR/tests/test_batch_add_g1_algebra
[ ! -x "$sums" ] || old "$sums" >/dev/null || fail "sums of points fail on an old CPU"
