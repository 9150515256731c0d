"""bench kernels: the CPU kernels against TensorFlow's, on one thread each, over the same number of elements."""
# builds: bench_kernels

import sys
from pathlib import Path

from bench import pairs
from interop import peers

PEER = Path(__file__).with_name("kernels_tensorflow.py")
PINNED = (peers.LISTS / "tensorflow.requirements").read_text().strip().replace("-cpu==", "-")

if __name__ == "__main__":
    ours = pairs.number_from(f"{sys.argv[1]}/bin/bench_kernels", "cpu", "sgd")
    peer = pairs.number_from(str(peers.python("tensorflow")), str(PEER))
    pairs.run("kernels", [pairs.Case("sgd.tensorflow", ours, peer, peer_name=PINNED, unit="bytes/s",
                                     settings={"elements": 1 << 25, "threads": 1})])
