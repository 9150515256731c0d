"""Helm, and the chart as tests use it."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from support import machine

try:
    import yaml
except ImportError:
    machine.skip("PyYAML is missing; apt-get install python3-yaml")

SOURCE = machine.REPOSITORY / "charts" / "carrack"
KUBERNETES = "1.36.3"  # Helm built from source renders for 1.20 unless told.
WORK = tempfile.TemporaryDirectory(prefix="carrack-chart-")


def copy(name: str) -> Path:
    """A chart of this test's own, to change."""
    chart = Path(WORK.name) / name
    shutil.copytree(SOURCE, chart)
    return chart


def definition(chart: Path) -> Path:
    """The file of the CRD in it."""
    return chart / "api" / "trainingjobs.yaml"


CHART = copy("carrack")


def helm(*arguments: str) -> str:
    """What Helm prints; its complaint becomes the error. It keeps nothing of one test run for the next."""
    environment = os.environ | {"HOME": WORK.name, "NO_PROXY": "*"}
    result = subprocess.run([machine.program("helm"), *arguments], env=environment, capture_output=True, text=True,
                            timeout=120)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip() or result.stdout.strip())
    return result.stdout


def values_options(values: dict) -> list[str]:
    """As they would stand in a file: {"a": {"b": 1}}."""
    return [word for name, value in values.items() for word in ("--set-json", f"{name}={json.dumps(value)}")]


def render(values: dict | None = None, *options: str, release: str = "carrack", chart: Path = CHART) -> dict:
    """The objects, by (kind, namespace or "", name)."""
    text = helm("template", release, str(chart), "--namespace=ops", f"--kube-version={KUBERNETES}",
                *values_options(values or {}), *options)
    objects = [value for value in yaml.safe_load_all(text) if value]
    named = {(value["kind"], value["metadata"].get("namespace", ""), value["metadata"]["name"]): value
             for value in objects}
    assert len(named) == len(objects), "two objects have one name"
    return named


def refusal(values: dict, *options: str) -> str:
    """What Helm says against these values, without its hint at --debug."""
    try:
        render(values, *options)
    except RuntimeError as error:
        return str(error).replace("\n\nUse --debug flag to render out invalid YAML", "")
    raise AssertionError(f"Helm renders {values}")
