"""bench comm: the way of gradients to a parameter server and of parameters back, over loopback and shared memory, and whole jobs, with TensorFlow and PyTorch."""
# builds: carrack carrack-trainer bench_comm bench_comm_limit bench_comm_memcpy bench_comm_protobuf

import sys
from pathlib import Path

from bench import comm_jobs, pairs
from interop import peers

PEER = Path(__file__).with_name("comm_tensorflow.py")
SIZES = {"4kb": 4 << 10, "1mb": 1 << 20, "64mb": 64 << 20, "256mb": 256 << 20}
SECONDS = "1.5"


def rounds(size: str, program: str, *transport: str):
    return pairs.number_from(program, *transport, str(SIZES[size]), SECONDS)


def cases(build: str) -> list[pairs.Case]:
    ours, settings = f"{build}/bin/bench_comm", {"seconds": SECONDS, "cores": comm_jobs.CORES}
    tensorflow = [str(peers.python("tensorflow")), str(PEER)]

    def case(label: str, against: str, peer_name: str, our_rounds, peer) -> pairs.Case:
        return pairs.Case(f"pushpull.{label}.{against}", our_rounds, peer, peer_name=peer_name, unit="rounds/s", settings=settings)

    def tfps(label: str, size: str, *transport: str) -> pairs.Case:
        return case(label, "tfps", peers.version("tensorflow", "tensorflow-cpu"), rounds(size, ours, *transport),
                    pairs.number_on_request(*tensorflow, "rounds", str(SIZES[size]), SECONDS))

    return [*(tfps(size, size) for size in SIZES),
            *(tfps(f"{size}_shm", size, "shm") for size in ("1mb", "64mb")),
            case("64mb", "limit", "bare-tcp", rounds("64mb", ours), rounds("64mb", f"{ours}_limit")),
            case("64mb", "protobuf", "grpc-with-protobuf", rounds("64mb", ours), rounds("64mb", f"{ours}_protobuf")),
            case("64mb_tls", "plain", "without-tls", rounds("64mb", ours, "tls"), rounds("64mb", ours)),
            case("64mb_shm", "limit", "memcpy", rounds("64mb", ours, "shm"), rounds("64mb", f"{ours}_memcpy"))]


if __name__ == "__main__":
    chosen = sys.argv[2:]
    build = str(Path(sys.argv[1]).resolve())
    pairs.run("comm", [case for case in [*cases(build), *comm_jobs.cases(build)] if not chosen or case.name in chosen])
