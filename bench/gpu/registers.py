#!/usr/bin/env python3
"""Registers and spills of every kernel, from what ptxas said when it was compiled (BUILD/cuda/*.log).
usage: bench/gpu/registers.py BUILD
Fails if one spills more than its limit: a kernel in G2 has more state than there are registers, no other should spill."""
import pathlib
import re
import subprocess
import sys

LIMIT_G2 = 640  # bytes, of stores or loads
LIMIT = 128


def kernels(folder):
    """(name, architecture) -> (registers, bytes stored, bytes loaded)"""
    found = {}
    for log in sorted(folder.glob("*.log")):
        kernel, spills = None, (0, 0)
        for line in log.read_text().splitlines():
            if m := re.search(r"Compiling entry function '(\S+)' for 'sm_(\d+)'", line):
                kernel, spills = (m[1], int(m[2])), (0, 0)
            elif m := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
                spills = (int(m[1]), int(m[2]))
            elif (m := re.search(r"Used (\d+) registers", line)) and kernel:
                found[kernel] = (int(m[1]), *spills)
    return found


def short_names(mangled):
    names = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True).stdout.splitlines()
    short = {}
    for m, name in zip(mangled, names):
        group = " in G2" if "fp2>" in name else " in G1" if "fp_parameters>" in name else ""
        base = re.sub(r"^void |\(anonymous namespace\)::", "", name)
        short[m] = re.split(r"[<(]", base)[0] + (group or re.sub(r"^[^<(]*(<(?:true|false)>)?.*", r"\1", base))
    return short


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = kernels(pathlib.Path(sys.argv[1]) / "cuda")
    if not found:
        sys.exit(f"registers: {sys.argv[1]}/cuda: found no logs of kernels, expected those of a build with CUZK_CUDA=ON")
    names = short_names(sorted({name for name, _ in found}))
    architectures = sorted({architecture for _, architecture in found})
    print("kernel".ljust(28), *(f"sm_{a}".rjust(14) for a in architectures))
    bad = 0
    for name in sorted(names, key=names.get):
        cells = []
        for architecture in architectures:
            registers, stored, loaded = found.get((name, architecture), (0, 0, 0))
            cells.append(f"{registers} ({stored}, {loaded})" if stored or loaded else str(registers))
            limit = LIMIT_G2 if names[name].endswith("G2") else LIMIT
            if max(stored, loaded) > limit:
                print(f"registers: {names[name]}, sm_{architecture}: found {max(stored, loaded)} bytes of spills, "
                      f"expected at most {limit}", file=sys.stderr)
                bad += 1
        print(names[name].ljust(28), *(c.rjust(14) for c in cells))
    sys.exit(1 if bad else 0)


main()
