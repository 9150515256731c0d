#!/usr/bin/env bash
# install_cuda_toolkit.sh FOLDER: the CUDA compiler and runtime from PyPI, as a toolkit at FOLDER/toolkit.
# For machines without NVIDIA's own packages: it compiles for any GPU and needs none. Python 3 with venv is all it takes.
set -euo pipefail
folder=${1:?usage: install_cuda_toolkit.sh FOLDER}
# nvcc, nvvm and crt must be of one minor release, or ptxas refuses the PTX that nvcc writes.
packages=(nvidia-cuda-nvcc==13.0.* nvidia-nvvm==13.0.* nvidia-cuda-crt==13.0.* nvidia-cuda-runtime==13.0.* nvidia-cuda-cccl==13.0.*
  nvidia-cuda-cuobjdump==13.2.*)  # 13.0 has none; tests use it to see which GPUs a program was compiled for

[ "$(cat "$folder/complete" 2>/dev/null)" = "${packages[*]}" ] && exit 0
rm -rf "$folder"
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet "${packages[@]}"
tree=$(echo "$folder"/lib/python3*/site-packages/nvidia/cu13)
# What a toolkit has and the wheels lack: lib64, and the names that -l looks for.
ln -sfn lib "$tree/lib64"
for library in "$tree"/lib/*.so.*; do
  ln -sf "${library##*/}" "${library%%.so.*}.so"
done
ln -sfn "${tree#"$folder"/}" "$folder/toolkit"
echo "${packages[*]}" >"$folder/complete"
