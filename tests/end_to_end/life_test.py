"""A job's life on a real cluster: it is suspended, resumed, ends and is deleted after its time; and all of that is the same
where the operator cannot reach the port on which coordinators report their progress. A tally shows that nothing is lost."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import job
import on_cluster
import tally
from checkpoints import InBucket
from cluster import access
from support import machine

SMALL = "{cpu: 50m, memory: 64Mi}"
RECORDS, BATCH, EVERY_STEPS = 10_000, 128, 1_000
ENDLESS = 1_000_000  # epochs


def process_of_pod(namespace: str, selector: str) -> int:
    """A process of the one pod that the selector finds; its network is the pod's."""
    uid = access.kubectl("get", "pods", "-n", namespace, "-l", selector, "-o", "jsonpath={.items[0].metadata.uid}")
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and f"pod{uid}" in (process / "cgroup").read_text():
                return int(process.name)
        except OSError:
            continue  # It has just ended.
    raise AssertionError(f"no process of pod {uid} on this machine")


def close_port(process: int, port: int) -> None:
    """Drops what the pod of this process sends to that port. The rule goes with the pod."""
    rules = f"add table inet closed; add chain inet closed out {{ type filter hook output priority 0; }}; " \
            f"add rule inet closed out tcp dport {port} drop"
    subprocess.run(["nsenter", "--target", str(process), "--net", "nft", rules], check=True, timeout=30)


class Life(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for program in ("fake-gcs-server", "helm"):
            machine.program(program)  # skips this file if it is not built
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.system = cls.enterClassContext(access.namespace("carrack-system"))
        cls.team = cls.enterClassContext(access.namespace("team"))
        cls.store = on_cluster.store(cls.system)
        cls.enterClassContext(on_cluster.installed(cls.system, cls.store.inside))
        tally.write_records(cls.folder / "data", RECORDS)
        for file in (cls.folder / "data").glob("*.tfrecord"):
            cls.store.put(f"tally/{file.name}", file.read_bytes())

    def checkpoints(self, name: str) -> InBucket:
        return InBucket(self.store.outside, on_cluster.BUCKET, name, self.folder / name)

    def tally(self, checkpoints: InBucket, epochs: int) -> tally.Tally:
        return tally.Tally(f"gs://{on_cluster.BUCKET}/tally", checkpoints.url, RECORDS, epochs, BATCH, EVERY_STEPS,
                           job.parameter_server(1, 2, SMALL))

    def suspend(self, applied: on_cluster.Job, value: str) -> None:
        patch = f'{{"spec":{{"run":{{"suspend":{value}}}}}}}'
        access.kubectl("patch", "tj", applied.name, "-n", self.team, "--type=merge", "-p", patch)

    def test_a_job_is_suspended_and_resumed_though_nobody_can_read_its_progress(self):
        close_port(process_of_pod(self.system, "app.kubernetes.io/name=carrack"), on_cluster.PROGRESS_PORT)
        checkpoints = self.checkpoints("closed-out")
        spec = self.tally(checkpoints, ENDLESS)
        applied = on_cluster.Job(self.team, spec.manifest().replace("name: tally", "name: closed"))
        access.eventually("the condition says so", 120,
                          lambda: applied.condition("Running").get("reason") == "ProgressUnreachable")
        self.assertEqual(applied.condition("Running")["status"], "True")
        self.assertNotIn("progress", applied.status())
        self.suspend(applied, "true")
        applied.wait("Suspended", 90)
        access.eventually("a suspended job has no object", 60, lambda: not applied.objects_left())
        committed = checkpoints.committed_step()
        self.assertNotEqual(committed % EVERY_STEPS, 0, "it committed what was done when it was suspended")
        self.assertEqual(applied.status()["lastCheckpoint"]["step"], committed)
        self.suspend(applied, "false")
        access.eventually("it goes on", 90, lambda: applied.condition("Running").get("status") == "True")
        self.assertEqual(applied.status()["attempt"], 0)
        access.eventually("it commits again", 90, lambda: checkpoints.committed_step() > committed)
        self.suspend(applied, "true")
        applied.wait("Suspended", 90)
        applied.delete()
        wrong = [line for line in tally.problems({checkpoints.local(): spec}) if "the last checkpoint" not in line]
        self.assertEqual(wrong, [])

    def test_a_job_succeeds_though_nobody_can_read_its_progress_and_is_deleted_after_its_time(self):
        close_port(process_of_pod(self.system, "app.kubernetes.io/name=carrack"), on_cluster.PROGRESS_PORT)
        checkpoints = self.checkpoints("short-out")
        spec = self.tally(checkpoints, 20)
        manifest = (spec.manifest().replace("name: tally", "name: short")
                    + "  run: {ttlSecondsAfterFinished: 15, keepPods: None}\n")
        applied = on_cluster.Job(self.team, manifest)
        applied.wait("Succeeded", 120)
        status = applied.status()
        self.assertEqual(status["attempt"], 0)
        self.assertEqual({start.get("failures", 0) for start in status.get("members", {}).values()} - {0}, set())
        self.assertEqual(status["lastCheckpoint"]["step"], checkpoints.committed_step())
        access.eventually("it keeps no pod, Service or ConfigMap", 60, lambda: not applied.objects_left())
        access.eventually("it is deleted", 60, lambda: not access.kubectl(
            "get", "tj", applied.name, "-n", self.team, "--ignore-not-found"))
        self.assertEqual(tally.problems({checkpoints.local(): spec}), [])


if __name__ == "__main__":
    unittest.main()
