"""bench comm: the way of gradients to a parameter server and of parameters back, over loopback, and whole jobs, with TensorFlow and PyTorch."""
# builds: carrack carrack-trainer bench_comm bench_comm_limit bench_comm_protobuf

import sys
from pathlib import Path

from bench import comm_jobs, pairs
from interop import peers

PEER = Path(__file__).with_name("comm_tensorflow.py")
SIZES = {"4kb": 4 << 10, "1mb": 1 << 20, "64mb": 64 << 20, "256mb": 256 << 20}
SECONDS = "1.5"


def rounds(program: str, size: str, *options: str):
    return pairs.number_from(program, str(SIZES[size]), SECONDS, *options)


def cases(build: str) -> list[pairs.Case]:
    ours, settings = f"{build}/bin/bench_comm", {"seconds": SECONDS, "cores": comm_jobs.CORES}
    tensorflow = [str(peers.python("tensorflow")), str(PEER)]
    found = [pairs.Case(f"pushpull.{size}.tfps", rounds(ours, size),
                        pairs.number_on_request(*tensorflow, "rounds", str(SIZES[size]), SECONDS),
                        peer_name=peers.version("tensorflow", "tensorflow-cpu"), unit="rounds/s", settings=settings)
             for size in SIZES]
    found += [pairs.Case(f"pushpull.64mb.{name}", rounds(ours, "64mb"), rounds(f"{build}/bin/bench_comm_{name}", "64mb"),
                         peer_name=peer_name, unit="rounds/s", settings=settings)
              for name, peer_name in (("limit", "bare-tcp"), ("protobuf", "grpc-with-protobuf"))]
    found.append(pairs.Case("pushpull.64mb_tls.plain", rounds(ours, "64mb", "1", "tls"), rounds(ours, "64mb"), peer_name="without-tls",
                            unit="rounds/s", settings=settings))
    return found


if __name__ == "__main__":
    chosen = sys.argv[2:]
    build = str(Path(sys.argv[1]).resolve())
    pairs.run("comm", [case for case in [*cases(build), *comm_jobs.cases(build)] if not chosen or case.name in chosen])
