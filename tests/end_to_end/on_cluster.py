"""Carrack on a real cluster, as a user has it: installed by Helm, jobs applied by kubectl, data and checkpoints in a
bucket. A test can observe a job and disturb it while it runs."""

import json
import re
import shlex
import subprocess
import tempfile
import threading
import time
import urllib.parse
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator, NamedTuple

from charts import chart
from cluster import access, pods
from crds import definition
from support import machine, object_store

BUCKET = "bucket"
STORE_PORT = 4443
RELEASE = "carrack"
PROGRESS_PORT = 7401
KINDS = "pods,services,configmaps"


def load_images() -> None:
    for image in ("operator", "trainer"):
        access.load_archive(machine.product_image(image))


def readme_commands() -> list[str]:
    """The commands in the README under `On Kubernetes`: they install the operator and run line.yaml."""
    section = (machine.REPOSITORY / "README.md").read_text().partition("\n## On Kubernetes\n")[2].partition("\n## ")[0]
    (block,) = re.findall(r"^```\n(.*?)^```", section, re.M | re.S)
    return block.replace("\\\n", " ").splitlines()


def readme_install(namespace: str) -> list[str]:
    """The README's arguments for Helm, for this machine's images and a namespace that exists."""
    here = {"charts/carrack": str(chart.CHART), "--create-namespace": ""}
    helm, *words = shlex.split(readme_commands()[0].replace("REGISTRY", "docker.io/carrack").replace("TAG", "dev"))
    assert helm == "helm" and words[-1:] and all(word in words for word in here), words
    words[words.index("--namespace") + 1] = namespace
    return [here.get(word, word) for word in words if here.get(word, word)]


@contextmanager
def installed(namespace: str, store: str) -> Iterator[None]:
    """Installs the operator into a namespace; its trainers use the object store."""
    load_images()
    values = {
        "crds.enabled": False,  # definition.applied() installs and removes it.
        "trainer.env": [{"name": "STORAGE_EMULATOR_HOST", "value": store}]}
    where = [f"--namespace={namespace}", f"--kubeconfig={access.kubeconfig()}"]
    with definition.applied():
        chart.helm(*readme_install(namespace), *chart.values_options(values), f"--kubeconfig={access.kubeconfig()}")
        try:
            access.kubectl("rollout", "status", f"deployment/{RELEASE}", "-n", namespace, "--timeout=90s")
            yield
        except BaseException:
            print(access.kubectl("logs", "-n", namespace, f"deployment/{RELEASE}", "--tail=60"), flush=True)
            raise
        finally:
            chart.helm("uninstall", RELEASE, "--wait", *where)


class Store(NamedTuple):
    inside: str  # its URL in pods
    outside: str  # its URL on this machine

    def put_records(self, folder: str, local: Path) -> None:
        for file in local.glob("*.tfrecord"):
            self.put(f"{folder}/{file.name}", file.read_bytes())

    def put(self, name: str, content: bytes) -> None:
        query = urllib.parse.urlencode({"uploadType": "media", "name": name})
        object_store.call("POST", f"{self.outside}/upload/storage/v1/b/{BUCKET}/o?{query}", content,
                          {"Content-Type": "text/plain"})


def store(namespace: str) -> Store:
    """A fake-gcs-server in the cluster, with an empty bucket."""
    image = access.load_image("fake-gcs-server")
    inside = f"http://store.{namespace}.svc:{STORE_PORT}"
    serve = pods.container("store", image, [
        "-backend", "memory", "-scheme", "http", "-host", "0.0.0.0", "-port", str(STORE_PORT), "-external-url", inside,
        "-public-host", f"store.{namespace}.svc:{STORE_PORT}", "-log-level", "error"])
    serve["readinessProbe"] = {"httpGet": {"path": "/_internal/healthcheck", "port": STORE_PORT}, "periodSeconds": 1}
    objects = [pods.pod("store", serve, labels={"app": "store"}),
               pods.service("store", {"app": "store"}, STORE_PORT, STORE_PORT)]
    access.kubectl("create", "-n", namespace, "-f", "-",
                   input=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    access.kubectl("wait", "pod/store", "-n", namespace, "--for=condition=Ready", "--timeout=60s")
    address = access.kubectl("get", "service/store", "-n", namespace, "-o", "jsonpath={.spec.clusterIP}")
    outside = f"http://{address}:{STORE_PORT}"
    object_store.call("POST", f"{outside}/storage/v1/b?project=test", json.dumps({"name": BUCKET}).encode(),
                      {"Content-Type": "application/json"})
    return Store(inside, outside)


class OnCluster:
    """A mixin of test cases: an installed operator, a namespace for jobs, and a bucket."""

    @classmethod
    def setUpClass(cls):
        for program in ("fake-gcs-server", "helm"):
            machine.program(program)  # skips this file if it is not built
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.system = cls.enterClassContext(access.namespace("carrack-system"))
        cls.team = cls.enterClassContext(access.namespace("team"))
        cls.store = store(cls.system)
        cls.enterClassContext(installed(cls.system, cls.store.inside))


class PodTimes:
    """When each pod was first seen as created, scheduled and running."""

    def __init__(self, watch: subprocess.Popen):
        self._seen: dict[tuple[str, str], float] = {}
        threading.Thread(target=self._read, args=(watch.stdout,), daemon=True).start()

    def _read(self, lines) -> None:
        for line in lines:
            name, phase, *node = line.split()
            for what in ("created", *(["scheduled"] if node else []), *(["running"] if phase == "Running" else [])):
                self._seen.setdefault((name, what), time.monotonic())

    def when(self, name: str, what: str) -> float:
        """Waits for the event (`created`, `scheduled` or `running`) and returns its time."""
        return access.eventually(f"{name} is {what}", 60, lambda: self._seen.get((name, what)))


class Job:
    """A TrainingJob in the cluster."""

    def __init__(self, namespace: str, manifest: str):
        self.namespace = namespace
        applied = self._kubectl("apply", "-f", "-", "-o", "json", input=manifest)
        self._coordinator, self._step = "", 0
        self.name, self.uid = (json.loads(applied)["metadata"][field] for field in ("name", "uid"))

    def _kubectl(self, *arguments: str, input: str | None = None) -> str:
        return access.kubectl(*arguments, "-n", self.namespace, input=input)

    def status(self) -> dict:
        return json.loads(self._kubectl("get", "tj", self.name, "-o", "json")).get("status", {})

    def condition(self, of_type: str) -> dict:
        found = [one for one in self.status().get("conditions", []) if one["type"] == of_type]
        return found[0] if found else {}

    def step(self) -> int:
        """The step that the coordinator reports now. The status follows seconds later."""
        if not self._coordinator:
            alive = self._alive("coordinator")
            self._coordinator = alive[-1]["status"]["podIP"] if alive else ""
        try:
            # The timeout is for a pod that is gone.
            report = object_store.call("GET", f"http://{self._coordinator}:{PROGRESS_PORT}/progress", timeout=1)
            self._step = json.loads(report).get("step", self._step)
        except (OSError, ValueError):
            self._coordinator = ""  # It is starting, or its replacement will be.
        return self._step

    def wait(self, condition: str, seconds: int) -> None:
        deadline = time.monotonic() + seconds
        while True:
            left = max(1, min(60, round(deadline - time.monotonic())))  # kubectl must end before the test gives up on it.
            try:
                self._kubectl("wait", f"tj/{self.name}", f"--for=condition={condition}", f"--timeout={left}s")
                return
            except RuntimeError as error:
                if time.monotonic() >= deadline:
                    raise AssertionError(f"{error}\n{self.describe()}") from None

    def describe(self) -> str:
        """Everything that a user could look at, for error messages."""
        logs = ""
        for pod in self.pods():
            with suppress(RuntimeError):  # It is gone, or has not started.
                logs += f"--- {pod}\n" + self._kubectl("logs", pod, "--tail=20")
        return self._kubectl("describe", "tj", self.name) + self._kubectl("get", "pods", "-o", "wide") + logs

    def pods(self, role: str = "") -> list[str]:
        labels = f"carrack.dev/job-uid={self.uid}" + (f",carrack.dev/role={role}" if role else "")
        return self._kubectl("get", "pods", "-l", labels, "-o", "name").split()

    def _alive(self, role: str, index: int = 0) -> list[dict]:
        """The member's pods that run and are not being deleted."""
        labels = f"carrack.dev/job-uid={self.uid},carrack.dev/role={role},carrack.dev/index={index}"
        found = json.loads(self._kubectl("get", "pods", "-l", labels, "-o", "json"))["items"]
        return [pod for pod in found if pod["status"]["phase"] == "Running" and "deletionTimestamp" not in pod["metadata"]]

    def running(self, role: str, index: int = 0) -> str:
        """The name of the member's current pod, or nothing."""
        alive = self._alive(role, index)
        return alive[-1]["metadata"]["name"] if alive else ""

    def delete_pod(self, role: str, index: int = 0) -> str:
        """Deletes the member's pod, as a user or a drained node would. Returns its name."""
        pod = access.eventually(f"{role} {index} runs", 60, lambda: self.running(role, index))
        self._kubectl("delete", "pod", pod, "--wait=false")
        return pod

    @contextmanager
    def watched(self) -> Iterator["Sightings"]:
        """Watches its pods from now on."""
        fields = "{.object.metadata.name} {.object.status.phase} {.object.spec.nodeName}"
        command = [machine.program("kubectl"), f"--kubeconfig={access.kubeconfig()}", "get", "pods", "-n", self.namespace,
                   "-l", f"carrack.dev/job-uid={self.uid}", "--watch", "--output-watch-events",
                   "-o", "jsonpath=" + fields + "{'\\n'}"]
        watch = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            yield PodTimes(watch)
        finally:
            watch.kill()
            watch.wait()
            watch.stdout.close()

    def events(self) -> list[str]:
        """The reasons of its events, in order."""
        found = json.loads(self._kubectl("get", "events.events.k8s.io", "-o", "json"))["items"]
        ours = [event for event in found if event["regarding"].get("uid") == self.uid]
        return [event["reason"] for event in sorted(ours, key=lambda event: event["eventTime"])]

    def delete(self) -> None:
        self._kubectl("delete", "tj", self.name, "--timeout=60s")

    def objects_left(self) -> list[str]:
        """All but its key, which stays as long as the job."""
        return self._kubectl("get", KINDS, "-l", f"carrack.dev/job-uid={self.uid}", "-o", "name").split()

    def keys(self) -> list[str]:
        return self._kubectl("get", "secrets", "-l", f"carrack.dev/job-uid={self.uid}", "-o", "name").split()
