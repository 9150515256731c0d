"""bench operator: 200 jobs of 4 pods become 800 Running pods on fake nodes, against Kubeflow's training-operator on the
same API server, as released and with no bound on its requests, and against a bare client that only writes our objects."""
# builds: bench_operator_limit carrack-operator

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable

from bench import jobs_on_nodes, pairs
from bench.jobs_on_nodes import CLUSTER, JOBS, NODES, PODS
from bench.operators import IMAGE, Carrack, Operator, TfJobs, TrainingOperator
from cluster.parts import FAST

CONNECTIONS = 8


class Measurement:
    """Measures one operator again and again; `runs` keeps what each run used."""

    def __init__(self, operator: Operator):
        self.operator = operator
        self.runs: list[dict] = []

    def __call__(self) -> float:
        with jobs_on_nodes.namespace() as namespace, self.operator.running():
            run = timed(namespace, lambda: jobs_on_nodes.create_jobs(namespace, self.operator))
            began = time.monotonic()
            jobs_on_nodes.check_pods(namespace, self.operator)
            jobs_on_nodes.wait_until_told(namespace, self.operator)
            run |= {"told_after": time.monotonic() - began, **self.operator.used(namespace)._asdict()}
            if isinstance(self.operator, Carrack):
                run["status_writes"] = self.operator.requests("trainingjobs/status")
        return kept(run, self.runs, self.operator.name)


class Limit:
    """The same objects and as many status writes, by a client that waits for nothing and decides nothing."""

    def __init__(self, program: Path, ours: Measurement):
        self.program = program
        self.ours = ours
        self.runs: list[dict] = []

    def __call__(self) -> float:
        jobs = [self.ours.operator.job(f"job-{number}") for number in range(JOBS)]
        writes = round(self.ours.runs[-1]["status_writes"] / JOBS)
        environment = os.environ | {"KUBECONFIG": str(CLUSTER.kubeconfig())}
        with jobs_on_nodes.namespace() as namespace:
            command = [str(self.program), namespace, IMAGE, str(CONNECTIONS), str(writes)]
            write = lambda: subprocess.run(command, input="\n".join(map(json.dumps, jobs)), env=environment, check=True,
                                           stdout=subprocess.PIPE, text=True)
            run = timed(namespace, write)
            jobs_on_nodes.check_pods(namespace, self.ours.operator)
        return kept(run | {"status_writes": writes * JOBS}, self.runs, "bare client")


def timed(namespace: str, begin: Callable[[], object]) -> dict:
    """How long until all pods run, and what the cluster itself spent on it; that, and the load of others, bounds all."""
    load, before = os.getloadavg()[0], jobs_on_nodes.cpu_of_parts()
    seconds = jobs_on_nodes.seconds_until_all_run(namespace, begin)
    spent = {part: round(used, 1) for part, used in (jobs_on_nodes.cpu_of_parts() - before).items() if used >= 0.1}
    return {"seconds": seconds, "load_before": load, "cluster_cpu_seconds": spent}


def kept(run: dict, runs: list[dict], name: str) -> float:
    runs.append(run)
    print(f"    {name}: {run}", file=sys.stderr, flush=True)
    return run["seconds"]


def main(build: Path) -> None:
    logs = jobs_on_nodes.logs(build)
    carrack, released, unbound = Carrack(CLUSTER, logs, build), TrainingOperator(CLUSTER, logs), TfJobs(CLUSTER, logs)
    settings = {"jobs": JOBS, "pods_of_a_job": PODS, "fake_nodes": NODES, "scheduler_and_controllers": FAST}

    def case(name: str, ours: Measurement, peer: Measurement | Limit, peer_name: str, **more: int) -> pairs.Case:
        return pairs.Case(f"pods.{JOBS}x{PODS}.{name}", ours, peer, peer_name=peer_name, unit="s", more_is_better=False,
                          pairs=3, settings=settings | more | {"ours": ours.runs, "peer": peer.runs})

    beside_limit = Measurement(carrack)
    limit = Limit(build / "bin" / "bench_operator_limit", beside_limit)
    with jobs_on_nodes.cluster():
        carrack.install()
        released.install()  # The other takes the same jobs.
        pairs.run("operator", [
            case("default", Measurement(carrack), Measurement(released), released.name, requests_a_second=20, workers=1),
            case("unbound", Measurement(carrack), Measurement(unbound), unbound.name, workers=unbound.workers),
            case("limit", beside_limit, limit, f"bare-client-{CONNECTIONS}", connections=CONNECTIONS)])


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
