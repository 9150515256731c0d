"""The whole jobs of bench comm: two workers and a parameter server, in steps a second once they train."""

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import pairs, train
from interop import peers

TENSORFLOW_PEER = Path(__file__).with_name("comm_jobs_tensorflow.py")
TORCH_PEER = Path(__file__).with_name("comm_jobs_torch.py")
CORES = train.CORES
PROCESSES = """strategy: ParameterServer
  replicas: {ps: {count: 1}, worker: {count: 2}}"""
CUT_SECONDS = 2
EPOCHS = {"mlp": 10, "lstm64": 4}
NETWORKS = {"autoencoder": "lstm64", "mlp": "mlp"}


def cpu_seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ours(program: str, data: Path, network: str, consistency: str, cut_seconds: int = 300, epochs: int = 0):
    """Runs a job and takes its speed from what it has recorded, from its first record of training to the last one."""
    epochs = epochs or EPOCHS[network]

    def measure() -> pairs.Figure:
        with tempfile.TemporaryDirectory() as folder:
            manifest = train.manifest(network, data, epochs, PROCESSES, consistency=consistency, every_seconds=cut_seconds)
            Path(folder, "job.yaml").write_text(manifest)
            before = cpu_seconds_of_children()
            run = subprocess.run([program, "run", "job.yaml"], cwd=folder, capture_output=True, text=True)
            if run.returncode != 0:
                sys.exit(f"bench comm: the job of {network} failed\n{run.stdout}{run.stderr}")
            recorded = [json.loads(line) for file in Path(folder).rglob("metrics.jsonl") for line in file.read_text().splitlines()]
        first, last = recorded[0], recorded[-1]
        steps = epochs * train.NETWORKS[network].steps_per_epoch
        return pairs.Figure((last["step"] - first["step"]) / (last["time"] - first["time"]),
                            {"cpu_ms": (cpu_seconds_of_children() - before) / steps * 1e3, "loss": last["loss"]})
    return measure


def case(label: str, against: str, build: str, data: Path, consistency: str, peer: list[str], peer_name: str) -> pairs.Case:
    network = NETWORKS[label]
    steps = train.NETWORKS[network].steps_per_epoch * EPOCHS[network]
    return pairs.Case(f"job.{label}.{against}", ours(f"{build}/bin/carrack", data, network, consistency),
                      pairs.number_on_request(*peer, network, str(data), str(steps)), peer_name=peer_name, unit="steps/s",
                      settings={"network": label, "batch": train.NETWORKS[network].batch, "workers": 2, "consistency": consistency,
                                "cores": CORES})


def cuts_case(build: str, data: Path) -> pairs.Case:
    """What checkpoints cost a job in Async, whose workers train on while servers save."""
    network, epochs = "mlp", 6 * EPOCHS["mlp"]  # so that there are some
    with_cuts, without = (ours(f"{build}/bin/carrack", data, network, "Async", seconds, epochs) for seconds in (CUT_SECONDS, 300))
    return pairs.Case("job.mlp_cuts.without", with_cuts, without, peer_name="without", unit="steps/s",
                      settings={"network": "mlp", "workers": 2, "consistency": "Async", "cut_seconds": CUT_SECONDS, "cores": CORES})


def cases(build: str) -> list[pairs.Case]:
    data = Path(build) / "bench" / "train"
    train.prepare(build, data)
    tensorflow = [str(peers.python("tensorflow")), str(TENSORFLOW_PEER)]
    torch = [str(peers.installed_python("torch")), str(TORCH_PEER)]
    return [*(case(label, "tfps", build, data, "Async", tensorflow, peers.version("tensorflow", "tensorflow-cpu"))
              for label in NETWORKS),
            case("autoencoder", "ddp", build, data, "Sync", torch, peers.version("torch")), cuts_case(build, data)]
