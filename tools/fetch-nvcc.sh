#!/usr/bin/env bash
# nvcc from its Python packages, for machines without a CUDA toolkit: pinned versions, checked against their digests.
# usage: tools/fetch-nvcc.sh FOLDER   (500 MB). Prints what to give to cmake. Exit 3 if a package is not the one that is pinned.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '3s/^# //p' "$0" >&2; exit 2; }
folder=$(mkdir -p "$1" && cd "$1" && pwd)

# package, version, SHA-256 of its wheel for x86-64 Linux
packages=(
    "nvidia-cuda-nvcc 13.5.37 f5c4f7ead5d964fb4af42bbf1e6d3ec3c1e6e9d83b53749f691d387e7fcaa3a7"
    "nvidia-cuda-runtime 13.5.37 df2b79a8852f10d1fef8c848489c49eebb5754051bf870202a862831412b179d"
    "nvidia-cuda-crt 13.5.37 e898b7f73d3035fa89915a3f7bf3b54a73e90249746111aed295822c4729bb29"
    "nvidia-nvvm 13.5.37 c41bfa362e407405163f103c2229f0765f8cc2ed7d148b754dc77f228bf7e070"
    "nvidia-cuda-cccl 13.3.5.0.6 d5230098fa2df5021e1a00c0c4eee41797671a91119d31e892463e5ccf3ee326"
)

wheels=$folder/wheels
mkdir -p "$wheels"
for entry in "${packages[@]}"; do
    read -r name version digest <<< "$entry"
    pip download --quiet --no-deps --only-binary :all: --dest "$wheels" "$name==$version"
    wheel=$(ls "$wheels/${name//-/_}-$version-"*.whl)
    echo "$digest  $wheel" | sha256sum --check --quiet || { echo "fetch-nvcc: $wheel is not the one that is pinned" >&2; exit 3; }
    python3 -m zipfile -e "$wheel" "$folder"
done
toolkit=$folder/nvidia/cu13
# Wheels unpacked like this lose their permissions.
chmod +x "$toolkit"/bin/* "$toolkit"/nvvm/bin/*
"$toolkit/bin/nvcc" --version | tail -2
echo "-DCUZK_CUDA=ON -DCUZK_NVCC=$toolkit/bin/nvcc"
