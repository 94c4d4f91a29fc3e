#!/usr/bin/env bash
# Runs the kernels of level ifma, as they are compiled, on an emulated Ice Lake (Bochs), without an operating system, and compares
# what they do with the portable ones: tests/emulated/kernels.c. Half a minute. Wants the Debian packages below, which
# install-dependencies.sh --developer brings.
#
#   tools/emulate-ifma.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 source=tests/emulated work=$1/emulated
packages="bochs bochsbios vgabios bochs-term"
for program in bochs script; do
    command -v $program >/dev/null || { echo "emulate-ifma.sh: $program is missing (apt-get install $packages)" >&2; exit 2; }
done
mkdir -p "$work"

# ---- A disk with a boot sector and the image behind it -----------------------------------------------------------------------

flags=(-std=gnu17 -O2 -ffreestanding -fno-stack-protector -fno-pic -fno-tree-loop-distribute-patterns -Iinclude -Isrc -isystem .deps/blst/bindings)
gcc -c "$source/start.S" -o "$work/start.o"
gcc "${flags[@]}" -c "$source/kernels.c" -o "$work/kernels.o"
# Unresolved: what other functions of the same files want of libraries.
ld -m elf_x86_64 -n --no-warn-rwx-segments --unresolved-symbols=ignore-all -T "$source/image.ld" -o "$work/image.elf" "$work/start.o" "$work/kernels.o" \
    "$build/libcuzk_algebra.a" "$build/libblst.a"
objcopy -O binary "$work/image.elf" "$work/image"
bytes_at_once=$((64 * 512))
count=$((($(stat -c %s "$work/image") + bytes_at_once - 1) / bytes_at_once))
gcc -c -Wa,--defsym,COUNT=$count "$source/boot_sector.S" -o "$work/boot_sector.o"
ld -m elf_x86_64 -Ttext 0x7c00 --oformat binary -o "$work/boot_sector" "$work/boot_sector.o"
cylinders=20 heads=16 sectors=63
truncate -s $((cylinders * heads * sectors * 512)) "$work/disk"
dd if="$work/boot_sector" of="$work/disk" conv=notrunc status=none
dd if="$work/image" of="$work/disk" bs=512 seek=1 conv=notrunc status=none

# ---- The machine -------------------------------------------------------------------------------------------------------------

cat > "$work/bochsrc" <<END
megs: 512
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
ata0-master: type=disk, path=$work/disk, mode=flat, cylinders=$cylinders, heads=$heads, spt=$sectors
boot: disk
display_library: term
cpu: model=corei7_icelake_u, ips=100000000
port_e9_hack: enabled=1
log: $work/log
panic: action=fatal
error: action=report
clock: sync=none
END
# Bochs wants a terminal, and Debian's waits in its debugger for "c".
rm -f "$work/keyboard"
mkfifo "$work/keyboard"
(echo c; exec sleep 600) > "$work/keyboard" 2>/dev/null &
keyboard=$!
trap 'kill $keyboard 2>/dev/null || true' EXIT
TERM=vt100 timeout -s KILL 600 script -qfc "bochs -q -f $work/bochsrc" "$work/output" < "$work/keyboard" >/dev/null || true
tr -d '\r' < "$work/output" | grep -aE '(equal|DIFFERENT)$' > "$work/results" || true
grep -a DIFFERENT "$work/results" || true
[ "$(tail -n 1 "$work/results")" = "all equal" ] || { echo "emulate-ifma.sh: kernels differ, or did not end: see $work/output" >&2; exit 1; }
echo "$(grep -c ' equal$' "$work/results") comparisons of kernels of level ifma with portable ones: all equal"
