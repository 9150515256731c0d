"""bench gpu: the cuda kernels against the limits of the GPU they run on."""
# builds: bench_kernels

import subprocess
import sys

from bench import pairs

if __name__ == "__main__":
    program = f"{sys.argv[1]}/bin/bench_kernels"
    probe = subprocess.run([program, "cuda", "limit"], capture_output=True, text=True)
    if probe.returncode == 77:
        sys.exit("bench gpu: there is no CUDA device here; run it on a machine with an NVIDIA GPU and driver 580 or newer")
    probe.check_returncode()
    pairs.run("gpu", [pairs.Case("sgd.limit", pairs.number_from(program, "cuda", "sgd"),
                                 pairs.number_from(program, "cuda", "limit"), peer_name="cudaMemcpy", unit="bytes/s",
                                 settings={"elements": 1 << 25})])
