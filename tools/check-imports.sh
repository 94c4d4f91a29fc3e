#!/usr/bin/env bash
# The rooms' order: a file may include only its own room and those below it (docs/architecture.md).
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A may_use=(
    [base]="base"
    [algebra]="base algebra"
    [r1cs]="base algebra r1cs"
    [groth16]="base algebra r1cs groth16"
    [gadgets]="base algebra r1cs gadgets"
    [filecoin]="base algebra r1cs gadgets filecoin"
    [engine]="base algebra r1cs groth16 gadgets filecoin engine"
    [cuda]="base algebra r1cs groth16 cuda"
    [config]="base config"
    [rpc]="base config engine rpc"
)
bad=0
for directory in src/*/; do
    room=$(basename "$directory")
    while IFS=: read -r file line include; do
        used=${include#*\"}
        used=${used%%/*}
        case " cuzk ${may_use[$room]:-} " in
        *" $used "*) ;;
        *) echo "$file:$line: room $room may not include room $used"; bad=1 ;;
        esac
    done < <(grep -rnE '^#include "[a-z0-9_]+/' "$directory" || true)
done
exit $bad
