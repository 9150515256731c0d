"""A job's life on a real cluster: it is suspended, resumed, ends and is deleted after its time; and all of that is the same
where the operator cannot reach the port on which coordinators report their progress. Members that hang are replaced, and those
that are only slow are not. A tally shows that nothing is lost."""

import os
import signal
import subprocess
import sys
import time
import unittest
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

import job
import on_cluster
import tally
from checkpoints import InBucket
from cluster import access
from support import machine

SMALL = "{cpu: 50m, memory: 64Mi}"
RECORDS, BATCH, EVERY_STEPS = 10_000, 128, 1_000
ENDLESS = 1_000_000  # epochs
BACK_WITHIN_SECONDS = 30  # after a process has stopped


def process_of_pod(namespace: str, selector: str, program: str = "") -> int:
    """A process of the one running pod that the selector finds, whose command has these words; its network is the pod's."""
    uid = access.kubectl("get", "pods", "-n", namespace, "-l", selector, "--field-selector=status.phase=Running",
                         "-o", "jsonpath={.items[0].metadata.uid}")
    for process in Path("/proc").iterdir():
        try:
            if (process.name.isdigit() and f"pod{uid}" in (process / "cgroup").read_text()
                    and program in (process / "cmdline").read_text()):
                return int(process.name)
        except OSError:
            continue  # It has just ended.
    raise AssertionError(f"no process of pod {uid} on this machine")


@contextmanager
def loaded_machine() -> Iterator[None]:
    """Eight processes for each CPU compute without a pause."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8 * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def close_port(process: int, port: int) -> None:
    """Drops what the pod of this process sends to that port. The rule goes with the pod."""
    rules = f"add table inet closed; add chain inet closed out {{ type filter hook output priority 0; }}; " \
            f"add rule inet closed out tcp dport {port} drop"
    subprocess.run(["nsenter", "--target", str(process), "--net", "nft", rules], check=True, timeout=30)


class Life(on_cluster.OnCluster, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        tally.write_records(cls.folder / "data", RECORDS)
        cls.store.put_records("tally", cls.folder / "data")

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
        keys = applied.keys()
        self.assertEqual(len(keys), 1, "but its key")
        committed = checkpoints.committed_step()
        self.assertNotEqual(committed % EVERY_STEPS, 0, "it committed what was done when it was suspended")
        self.assertEqual(applied.status()["lastCheckpoint"]["step"], committed)
        self.suspend(applied, "false")
        access.eventually("it goes on", 90, lambda: applied.condition("Running").get("status") == "True")
        self.assertEqual(applied.status()["attempt"], 0)
        access.eventually("it commits again", 90, lambda: checkpoints.committed_step() > committed)
        self.assertEqual(applied.keys(), keys)
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

    def members(self, applied: on_cluster.Job) -> dict[str, dict]:
        """The members that have been started more than once, or have failed."""
        starts = applied.status().get("members", {})
        return {name: start for name, start in starts.items() if start.get("incarnation", 1) > 1 or start.get("failures")}

    def hang(self, applied: on_cluster.Job, checkpoints: InBucket, role: str) -> None:
        """Stops the process of the first member of this role, and waits for the first commit after it was replaced."""
        before = checkpoints.committed_step()
        access.eventually(f"a commit after step {before}", 60, lambda: checkpoints.committed_step() > before)
        pod = applied.running(role)
        selector = f"carrack.dev/job-uid={applied.uid},carrack.dev/role={role},carrack.dev/index=0"
        os.kill(process_of_pod(self.team, selector, "carrack-trainer"), signal.SIGSTOP)
        stopped = time.monotonic()
        try:
            access.eventually(f"{pod} is replaced", BACK_WITHIN_SECONDS, lambda: applied.running(role) not in ("", pod))
            replaced, step = time.monotonic(), checkpoints.committed_step()
            access.eventually(f"a commit without {pod}", 60, lambda: checkpoints.committed_step() > step)
        except TimeoutError as error:
            of_pod = access.kubectl("describe", "pod", pod, "-n", self.team)
            raise AssertionError(f"{error}\n{of_pod}{applied.describe()}") from None
        back = time.monotonic() - stopped
        print(f"{role} hung: replaced after {replaced - stopped:.1f} s, next commit after {back:.1f} s", flush=True)
        self.assertLess(replaced - stopped, BACK_WITHIN_SECONDS)
        self.assertRegex(applied.condition("Restarting")["message"],
                         rf"^{role} 0: hung: its /healthz did not answer \(on \S+\)$")
        access.eventually(f"{pod} is gone", 10, lambda: f"pod/{pod}" not in applied.pods(role))

    def test_a_member_that_hangs_is_replaced_and_one_that_is_slow_is_not(self):
        checkpoints = self.checkpoints("hung-out")
        spec = self.tally(checkpoints, ENDLESS)._replace(every_steps=100)
        applied = on_cluster.Job(self.team, spec.manifest().replace("name: tally", "name: hung"))
        access.eventually("it trains", 120, lambda: checkpoints.committed_step() > 0)
        with loaded_machine():
            time.sleep(60)  # three times as long as a process that hangs lives
        self.assertEqual(self.members(applied), {}, applied.describe())
        for role in ("worker", "ps", "coordinator"):
            self.hang(applied, checkpoints, role)
        self.assertEqual({name: (start["incarnation"], start.get("failures", 0))
                          for name, start in self.members(applied).items()},
                         dict.fromkeys(("worker-0", "ps-0", "coordinator-0"), (2, 0)), applied.describe())
        self.suspend(applied, "true")
        applied.wait("Suspended", 90)
        wrong = [line for line in tally.problems({checkpoints.local(): spec}) if "the last checkpoint" not in line]
        self.assertEqual(wrong, [])
        applied.delete()


if __name__ == "__main__":
    unittest.main()
