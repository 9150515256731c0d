"""What a job on a cluster says of itself, for tests: its conditions, the columns of `kubectl get tj`, and `carrack explain`.
The jobs count their records for as long as a test needs them; each keeps few checkpoints."""

import os
import re
import subprocess

import job
import on_cluster
import tally
from cluster import access

SMALL = "{cpu: 50m, memory: 64Mi}"
RECORDS, BATCH, EVERY_STEPS = 10_000, 128, 1_000
ENDLESS = 1_000_000  # epochs


def single(template: str = "{}", requests: str = SMALL, limits: str = "{}") -> str:
    """A job of one pod, which has this template."""
    resources = f"{{requests: {requests}, limits: {limits}}}"
    return f"strategy: Single\n  replicas: {{worker: {{resources: {resources}, template: {template}}}}}"


class ConditionsCase(on_cluster.OnCluster):
    """A mixin of test cases that have records to train on."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        tally.write_records(cls.folder / "data", RECORDS)
        cls.store.put_records("data", cls.folder / "data")

    def apply(self, name: str, strategy: str, run: str = "{}", namespace: str = "") -> on_cluster.Job:
        """An endless job; `run` is its spec.run."""
        spec = tally.Tally(f"gs://{on_cluster.BUCKET}/data", f"gs://{on_cluster.BUCKET}/$(NAME)-$(UID)", RECORDS, ENDLESS,
                           BATCH, EVERY_STEPS, strategy, keep="keepLast: 2")
        manifest = spec.manifest().replace("name: tally", f"name: {name}") + f"  run: {run}\n"
        applied = on_cluster.Job(namespace or self.team, manifest)
        self.addCleanup(self.delete, applied)
        return applied

    def delete(self, applied: on_cluster.Job) -> None:
        access.kubectl("delete", "tj", applied.name, "-n", applied.namespace, "--ignore-not-found", "--timeout=60s")

    def explained(self, applied: on_cluster.Job) -> dict[str, str]:
        """The lines of `carrack explain` by their labels; the first one by ''."""
        done = subprocess.run([job.BIN / "carrack", "explain", applied.name, "-n", applied.namespace],
                              env=os.environ | {"KUBECONFIG": str(access.kubeconfig())}, capture_output=True, text=True,
                              timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        verdict, *lines = done.stdout.splitlines()
        return {line[:14].strip(): line[14:] for line in lines} | {"": verdict}  # A label may be empty, too.

    def columns(self, applied: on_cluster.Job) -> dict[str, str]:
        """What `kubectl get tj -o wide` shows of it, by column."""
        head, line = access.kubectl("get", "tj", applied.name, "-n", applied.namespace, "-o", "wide").splitlines()
        begins = [(found.start(), found.group()) for found in re.finditer(r"\S+", head)]
        ends = [begin for begin, _ in begins[1:]] + [len(line)]
        return {name: line[begin:end].strip() for (begin, name), end in zip(begins, ends)}

    def expect_condition(self, applied: on_cluster.Job, of_type: str, status: str, reason: str, message: str,
                         seconds: float = 60) -> dict:
        """Waits for the condition, with a message that the regular expression matches as a whole. Returns it."""
        seen = {}

        def attempt() -> dict:
            seen.update(applied.condition(of_type))
            fits = (seen.get("status"), seen.get("reason")) == (status, reason)
            return seen if fits and re.fullmatch(message, seen["message"]) else {}

        try:
            return access.eventually(f"{of_type} is {status}: {reason}", seconds, attempt)
        except TimeoutError as error:
            raise AssertionError(f"{error}\n{seen}\n{applied.describe()}") from None

    def expect_wait(self, applied: on_cluster.Job, reason: str, message: str, verdict: str, cure: str,
                    state: str = "Created", seconds: float = 60) -> dict[str, str]:
        """The job waits, and condition Running, the columns and `carrack explain` say so. Returns what explain says."""
        self.expect_condition(applied, "Running", "False", reason, message, seconds)
        columns = self.columns(applied)
        self.assertEqual(columns["STATE"], state)
        self.assertRegex(columns["WAITING"], message)
        said = self.explained(applied)
        self.assertEqual(said[""], f"{applied.name} {verdict}")
        self.assertRegex(said["cause"], rf"^{reason}, for \d+ (s|min): {message}$")
        self.assertTrue(said["what to do"].startswith(cure), said["what to do"])
        return said

    def expect_failure(self, applied: on_cluster.Job, reason: str, message: str, verdict: str, cure: str,
                       seconds: float = 60) -> None:
        """The job fails, and conditions, columns and `carrack explain` say so."""
        self.expect_condition(applied, "Failed", "True", reason, message, seconds)
        self.expect_condition(applied, "Finished", "True", reason, message, 1)
        self.expect_condition(applied, "Running", "False", "Finished", "", 1)
        columns = self.columns(applied)
        self.assertEqual(columns["STATE"], "Failed")
        self.assertRegex(columns["FAILURE"], message)
        said = self.explained(applied)
        self.assertEqual(said[""], f"{applied.name} {verdict}")
        self.assertRegex(said["cause"], rf"^{reason}, for \d+ s: {message}$")
        self.assertTrue(said["what to do"].startswith(cure), said["what to do"])
