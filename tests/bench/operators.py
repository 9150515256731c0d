"""The operators that `bench operator` measures: the same 4 pods as a job of each, its program as a process outside the
cluster, and what that process has used so far."""

import base64
import json
import os
import re
import shutil
import socket
import subprocess
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, NamedTuple

from cluster import access
from cluster.instance import Instance
from support import go_programs, machine

IMAGE = "registry.example/trainer:bench"  # Nobody pulls it: the nodes are fake.
SMALL = {"cpu": "50m", "memory": "64Mi"}
READY_SECONDS = 120
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Used(NamedTuple):
    peak_bytes: int
    cpu_seconds: float
    writes: int  # Requests that change something.


class Operator:
    """What both have in common; a subclass says how its program is called and which jobs it takes."""

    name: str  # In lines and reports.
    jobs: str  # The resource of its jobs.
    job_label: str  # Of a pod: which job it belongs to.
    role_label: str
    roles: list[str]  # Of a job's pods, sorted.

    def __init__(self, cluster: Instance, logs: Path):
        self.cluster = cluster
        self.log = logs / f"{self.name}.log"
        self._process: subprocess.Popen | None = None
        self._metrics = ""
        self._probes = ""

    @contextmanager
    def running(self) -> Iterator[None]:
        """Its program, fresh, from ready on."""
        self._metrics = f"127.0.0.1:{free_port()}"
        self._probes = f"127.0.0.1:{free_port()}"
        environment = os.environ | {"KUBECONFIG": str(self.cluster.kubeconfig())}
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(self.command(), env=environment, stdout=log, stderr=log)
        try:
            access.eventually(f"{self.name} is ready", READY_SECONDS, self.ready)
            yield
        finally:
            self._process.terminate()
            self._process.wait(30)

    def used(self, namespace: str) -> Used:
        peak = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{self._process.pid}/status").read_text())
        return Used(int(peak[1]) * 1024, cpu_seconds(self._process.pid), self.writes(namespace))

    def counted(self, metric: str) -> Iterator[tuple[str, int]]:
        """Labels and value of each sample of one of its own metrics."""
        page = _direct.open(f"http://{self._metrics}/metrics", timeout=10).read().decode()
        for labels, value in re.findall(rf"^{metric}{{(.*)}} (\S+)$", page, re.M):
            yield labels, int(float(value))

    def install(self) -> None:
        """Has the cluster know its jobs."""
        raise NotImplementedError

    def command(self) -> list[str]:
        raise NotImplementedError

    def ready(self) -> bool:
        raise NotImplementedError

    def job(self, name: str) -> dict:
        raise NotImplementedError

    def writes(self, namespace: str) -> int:
        raise NotImplementedError


class Carrack(Operator):
    name, jobs = "carrack", "trainingjobs"
    job_label, role_label = "carrack.dev/job", "carrack.dev/role"
    roles = ["coordinator", "ps", "worker", "worker"]

    def __init__(self, cluster: Instance, logs: Path, build: Path):
        super().__init__(cluster, logs)
        self.build = build

    def install(self) -> None:
        access.kubectl("apply", "-f", str(machine.REPOSITORY / "crds"), instance=self.cluster)
        access.kubectl("wait", "crd/trainingjobs.carrack.dev", "--for=condition=Established", "--timeout=30s",
                       instance=self.cluster)

    def command(self) -> list[str]:
        return [str(self.build / "bin" / "carrack-operator"), "--trainer-image", IMAGE, "--listen", self._metrics,
                "--probes", self._probes]

    def ready(self) -> bool:
        try:
            return _direct.open(f"http://{self._probes}/readyz", timeout=10).status == 200
        except OSError:
            return False

    def job(self, name: str) -> dict:
        return {
            "apiVersion": "carrack.dev/v1alpha1", "kind": "TrainingJob", "metadata": {"name": name},
            "spec": {
                "strategy": "ParameterServer",
                "replicas": {"ps": {"count": 1, "requests": SMALL}, "worker": {"count": 2, "requests": SMALL}},
                "model": {"kind": "LinearRegression", "input": "x", "target": "y"},
                "data": {"train": {"files": ["gs://bench/line-*.tfrecord"]},
                         "features": {"x": {"type": "float32"}, "y": {"type": "float32"}}},
                "training": {"batch": 64, "epochs": 5, "optimizer": {"kind": "SGD", "learningRate": 0.05}},
                "checkpoint": {"folder": f"gs://bench/{name}", "everySteps": 200}}}

    def writes(self, namespace: str) -> int:
        return self.requests() + self.events(namespace)

    def requests(self, only: str = "") -> int:
        """Of the thread that decides; events are written apart from it and not counted."""
        return sum(value for labels, value in self.counted("carrack_api_requests_total")
                   if 'verb="list"' not in labels and only in labels)

    def events(self, namespace: str) -> int:
        path = "jsonpath={.items[?(@.reportingController=='carrack.dev/operator')].metadata.name}"
        return len(access.kubectl("get", "events.events.k8s.io", "-n", namespace, "-o", path,
                                  instance=self.cluster).split())


class TfJobs(Operator):
    """Kubeflow's controller of TFJobs at its best: no bound on its requests a second, and several workers."""

    name, jobs = "training-operator-1.8.1-unbound", "tfjobs"
    job_label, role_label = "training.kubeflow.org/job-name", "training.kubeflow.org/replica-type"
    roles = ["chief", "ps", "worker", "worker"]
    module = "github.com/kubeflow/training-operator@v1.8.1"
    workers = 8

    def install(self) -> None:
        go = go_programs.go_command(machine.cache() / "programs")
        known = subprocess.check_output([go, "mod", "download", "-json", self.module], cwd="/", text=True)
        definitions = Path(json.loads(known)["Dir"], "manifests", "base", "crds")
        for file in sorted(definitions.glob("kubeflow.org_*.yaml")):
            access.kubectl("apply", "--server-side", "-f", str(file), instance=self.cluster)
        access.kubectl("wait", "crd", "--all", "--for=condition=Established", "--timeout=30s", instance=self.cluster)

    def command(self) -> list[str]:
        return [str(machine.program("tfjob-controller")), self._metrics, str(self.workers)]

    def ready(self) -> bool:
        return re.search(r"Starting workers.*tfjob-controller", self.log.read_text()) is not None

    def job(self, name: str) -> dict:
        container = {"name": "tensorflow", "image": IMAGE, "resources": {"requests": SMALL}}
        pod = {"automountServiceAccountToken": False, "enableServiceLinks": False, "containers": [container]}
        replicas = lambda number: {"replicas": number, "restartPolicy": "Never", "template": {"spec": pod}}
        return {
            "apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": {"name": name},
            "spec": {"tfReplicaSpecs": {"Chief": replicas(1), "PS": replicas(1), "Worker": replicas(2)}}}

    def writes(self, namespace: str) -> int:
        return sum(value for labels, value in self.counted("rest_client_requests_total") if 'method="GET"' not in labels)


class TrainingOperator(TfJobs):
    """Kubeflow's program as released and as its manifests start it, but outside the cluster; so without its admission
    webhook, which would only cost it time."""

    name = "training-operator-1.8.1"
    namespace, secret = "kubeflow", "training-operator-webhook-cert"
    certificates = Path("/tmp/k8s-webhook-server/serving-certs")  # Compiled in.

    def install(self) -> None:
        super().install()
        access.kubectl("create", "namespace", self.namespace, instance=self.cluster)
        access.kubectl("create", "secret", "generic", self.secret, "-n", self.namespace, instance=self.cluster)

    @contextmanager
    def running(self) -> Iterator[None]:
        try:
            with super().running():
                yield
        finally:
            shutil.rmtree(self.certificates.parent, ignore_errors=True)

    def command(self) -> list[str]:
        return [str(machine.program("training-operator.v1")), "--metrics-bind-address", self._metrics,
                "--health-probe-bind-address", f"127.0.0.1:{free_port()}", "--webhook-server-port", str(free_port())]

    def ready(self) -> bool:
        """It makes a certificate, waits for it as a file, and only then begins to work."""
        if not self.certificates.exists():
            self._mount_certificates()
        return super().ready()

    def _mount_certificates(self) -> None:
        secret = json.loads(access.kubectl("get", "secret", self.secret, "-n", self.namespace, "-o", "json",
                                           instance=self.cluster))
        if content := secret.get("data"):
            self.certificates.mkdir(parents=True)
            for name, value in content.items():
                (self.certificates / name).write_bytes(base64.b64decode(value))


def cpu_seconds(process: int) -> float:
    ticks = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]
