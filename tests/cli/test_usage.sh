# Help, unknown words, exit codes.
source "$(dirname "$0")/common.sh"

expect 0 '^usage: cuzk COMMAND' "$CUZK" --help
expect 0 '^cuzk [0-9]+\.[0-9]+' "$CUZK" --version
expect 2 'usage: cuzk COMMAND' "$CUZK"
refused 'unknown command prov; did you mean prove' "$CUZK" prov
for command in circuit digest setup prove verify verify-raw inspect check; do
    expect 0 "^usage: cuzk $command" "$CUZK" "$command" --help
done
refused 'found 0 arguments; usage: cuzk circuit KIND SIZE' "$CUZK" circuit
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
