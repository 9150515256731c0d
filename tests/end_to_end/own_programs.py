"""Jobs with strategy Own that run the programs in own_images/ as their users wrote them, for processes and for pods."""

import json
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

from interop import peers

PROGRAMS = Path(__file__).resolve().parent / "own_images"
STEPS = 200


class Program(NamedTuple):
    peer: str
    framework: str
    file: Path
    replicas: dict[str, int]
    leader: str
    # Whether the death of one process restarts all of them.
    restarts_as_one: bool


TENSORFLOW = Program("tensorflow", "TensorFlow", PROGRAMS / "parameter_server.py",
                     {"coordinator": 1, "ps": 1, "worker": 2}, "coordinator-0", False)
TORCH = Program("torch", "PyTorch", PROGRAMS / "all_reduce.py", {"worker": 2}, "worker-0", True)


def chosen() -> Program:
    """That of this test run: TensorFlow's, or with the argument `torch` PyTorch's, which is installed now."""
    if "torch" not in sys.argv[1:]:
        return TENSORFLOW
    sys.argv.remove("torch")
    peers.installed_python("torch")
    return TORCH


def manifest(name: str, program: Program, checkpoints: Path, image: str = "nowhere/own:1", pod: dict | None = None) -> str:
    """As JSON. `pod` has further fields of the pods: `volumes`, and `volumeMounts` of the container."""
    python = peers.python(program.peer)
    more = dict(pod or {})
    variables = {"STEPS": str(STEPS), "STEP_SECONDS": "0.05", "CHECKPOINTS": str(checkpoints), "TF_CPP_MIN_LOG_LEVEL": "3",
                 "OMP_NUM_THREADS": "1"}
    container = {"name": "trainer", "image": image, "command": [str(python), str(program.file)],
                 "env": [{"name": key, "value": value} for key, value in variables.items()],
                 **({"imagePullPolicy": "IfNotPresent", "volumeMounts": more.pop("volumeMounts")} if pod else {})}
    role = {"template": {"spec": {"containers": [container], **more}}}
    replicas = {name: {"count": count, **role} for name, count in program.replicas.items()}
    return json.dumps({
        "apiVersion": "carrack.dev/v1alpha1", "kind": "TrainingJob", "metadata": {"name": name},
        "spec": {"strategy": "Own", "framework": program.framework, "replicas": replicas, "run": {"drainSeconds": 5}}})


def host_folders(program: Program, checkpoints: Path) -> dict:
    """What a pod needs of this machine to run the peer's Python, which is too large for an image of a test."""
    environment = peers.environment(program.peer)
    base = re.search(r"^home = (.*)$", (environment / "pyvenv.cfg").read_text(), re.M).group(1)
    places = {"/usr": "/usr", "/lib": "/usr/lib", "/lib64": "/usr/lib64", str(environment): str(environment),
              str(PROGRAMS): str(PROGRAMS), str(checkpoints): str(checkpoints), "/tmp": ""}
    if not base.startswith("/usr/"):
        places[str(Path(base).parent)] = str(Path(base).parent)
    folders = [(f"folder-{at}", inside, outside) for at, (inside, outside) in enumerate(places.items())]
    return {
        "volumes": [{"name": name, **({"hostPath": {"path": outside}} if outside else {"emptyDir": {}})}
                    for name, _, outside in folders],
        "volumeMounts": [{"name": name, "mountPath": inside, "readOnly": inside not in (str(checkpoints), "/tmp")}
                         for name, inside, _ in folders]}


def last_step(log: str) -> int:
    return max((int(step) for step in re.findall(r"step (\d+) loss", log)), default=0)


def first_step(log: str) -> int:
    return int(re.search(r"starts at step (\d+)", log).group(1))


def fitted(log: str) -> tuple[float, float]:
    """The slope and the intercept that the program has found."""
    slope, intercept = re.search(r"done: slope (\S+), intercept (\S+)", log).groups()
    return float(slope), float(intercept)


def environment_of(pid: int) -> dict[str, str]:
    try:
        pairs = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:  # It is gone.
        return {}
    return dict(os.fsdecode(pair).split("=", 1) for pair in pairs if b"=" in pair)
