"""How jobs on a real cluster lose pods and miss deadlines, one cause in each test: conditions, columns of `kubectl get tj` and
`carrack explain` say it. docs/reference/conditions.md lists them."""

import json
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

import conditions
import job
import on_cluster
from cluster import access
from conditions import SMALL, single

NOWHERE = "{spec: {nodeSelector: {disk: none}}}"


class Ends(conditions.ConditionsCase, unittest.TestCase):
    def start(self, name: str, strategy: str, run: str = "{}") -> on_cluster.Job:
        """A job that trains."""
        applied = self.apply(name, strategy, run)
        self.expect_condition(applied, "Running", "True", "MembersRunning", "")
        return applied

    def evict(self, applied: on_cluster.Job) -> str:
        """Asks the API server to evict the pod, as `kubectl drain` does. Returns its name."""
        name = applied.running("worker")
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": self.team}}
        access.kubectl("create", "--raw", f"/api/v1/namespaces/{self.team}/pods/{name}/eviction", "-f", "-",
                       input=json.dumps(eviction))
        return name

    def test_an_eviction_costs_nothing(self):
        applied = self.start("evicted", single())
        evicted = self.evict(applied)
        replacement = access.eventually("a replacement runs", 60, lambda: (
            now := applied.running("worker")) not in ("", evicted) and now)
        self.assertEqual(replacement, evicted.rpartition("-")[0] + "-2")
        message = r"worker 0: is taken away by the cluster \(on \S+\)"
        self.expect_condition(applied, "Restarting", "False", "NothingRestarts", message)
        start = applied.status()["members"]["worker-0"]
        self.assertEqual((start["incarnation"], start["disruptions"], start.get("failures", 0)), (2, 1, 0))
        failure = rf"^worker-0, \d+ s ago, pod {evicted}, on node \S+: Evicted: is taken away by the cluster$"
        self.assertRegex(self.explained(applied)["last failure"], failure)
        self.assertEqual(applied.status()["lastFailure"]["member"], "worker-0")
        self.assertIn("MemberRestarts", applied.events())

    def test_a_rule_for_evictions_ends_the_job(self):
        applied = self.start("ruled", single(), "{failureRules: [{reasons: [Evicted], action: Fail}]}")
        self.evict(applied)
        self.expect_failure(applied, "FailureRule", "worker 0: is taken away by the cluster",
                            "has failed: a rule of spec.run.failureRules ended it", "Mend what the cause says")

    def fill_memory(self, applied: on_cluster.Job) -> None:
        """Fills the memory of the trainer's container, by a file in its shared memory."""
        process = self.trainer(applied)
        groups = dict(line.split(":", 2)[1:] for line in (process / "cgroup").read_text().splitlines())
        group = Path("/sys/fs/cgroup/memory" if "memory" in groups else "/sys/fs/cgroup") / groups.get(
            "memory", groups.get("", "")).lstrip("/")
        fill = f"echo $$ > {group}/cgroup.procs && exec dd if=/dev/zero of={process}/root/dev/shm/full bs=1M count=60"
        subprocess.run(["sh", "-c", fill], capture_output=True, timeout=60)

    def test_a_process_without_memory(self):
        jobs = [self.start(name, single(requests="{cpu: 50m, memory: 32Mi}"), run) for name, run in (
            ("killed", "{}"),
            ("killed-ruled", "{failureRules: [{reasons: [OOMKilled], action: Fail}]}"),
            ("killed-often", "{backoffLimit: 0, failureRules: [{reasons: [OOMKilled], action: RestartJob}]}"))]
        for applied in jobs:
            self.fill_memory(applied)
        cure = "A process used more memory than it may: ask for more memory in spec.replicas.worker.resources"
        killed = "worker 0: ended by signal 9: OOMKilled.*"
        self.expect_condition(jobs[0], "Restarting", "False", "NothingRestarts", killed)
        self.assertEqual(jobs[0].status()["members"]["worker-0"]["incarnation"], 2)
        self.expect_failure(jobs[1], "FailureRule", killed, "has failed: a rule of spec.run.failureRules ended it", cure)
        self.expect_failure(jobs[2], "BackoffLimitExceeded", f"spec.run.backoffLimit allows 0 restarts; last: {killed}",
                            "has failed: it needed more restarts than spec.run.backoffLimit allows", cure)

    def test_the_start_deadline(self):
        applied = self.apply("late", single(NOWHERE), "{startDeadlineSeconds: 5}")
        self.expect_failure(
            applied, "StartDeadlineExceeded",
            r"did not run within spec.run.startDeadlineSeconds \(5\): Unschedulable: worker 0: 0/\d+ nodes are available: .*",
            "has failed: it did not run in time", "Mend what the cause says, or raise spec.run.startDeadlineSeconds")

    def test_the_active_deadline(self):
        applied = self.start("long", single(), "{activeDeadlineSeconds: 12, drainSeconds: 10}")
        self.expect_failure(applied, "DeadlineExceeded", r"was active for longer than spec.run.activeDeadlineSeconds \(12\)",
                            "has failed: it was active for longer than it may", "Raise spec.run.activeDeadlineSeconds")
        status = applied.status()
        self.assertEqual(status["lastCheckpoint"]["step"], status["progress"]["step"], "what was done is committed")

    def trainer(self, applied: on_cluster.Job) -> Path:
        """The folder in /proc of the worker's process."""
        pod = access.eventually("the worker runs", 60, lambda: applied.running("worker"))
        uid = access.kubectl("get", "pod", pod, "-n", self.team, "-o", "jsonpath={.metadata.uid}")
        (found,) = [process for process in Path("/proc").glob("[0-9]*") if is_trainer_of(process, uid)]
        return found

    def stop_worker(self, applied: on_cluster.Job) -> None:
        """Stops the process of the worker, so that the job does no steps."""
        os.kill(int(self.trainer(applied).name), signal.SIGSTOP)

    def test_the_progress_deadline(self):
        # A stopped process is to stay, instead of being replaced as one that hangs.
        template = "{spec: {containers: [{name: trainer, readinessProbe: {failureThreshold: 1000}}]}}"
        members = (f"strategy: ParameterServer\n  replicas: {{ps: {{count: 1, resources: {{requests: {SMALL}}}}}, "
                   f"worker: {{count: 1, resources: {{requests: {SMALL}}}, template: {template}}}}}")
        applied = self.start("stuck", members,
                             "{progressDeadlineSeconds: 10, backoffLimit: 1, drainSeconds: 5}")
        self.stop_worker(applied)
        stalled = r"no new step within spec.run.progressDeadlineSeconds \(10\), so all members start again"
        self.expect_condition(applied, "Stalled", "True", "NoProgress", stalled)
        self.assertEqual(self.columns(applied)["STATE"], "Stalled")
        said = self.explained(applied)
        self.assertEqual(said[""], "stuck has stalled, and all its members have been started again")
        self.assertRegex(said["cause"], rf"^NoProgress, for \d+ s: {stalled}$")
        self.assertTrue(said["what to do"].startswith("Wait for a new step."), said["what to do"])
        self.expect_condition(applied, "Stalled", "False", "NotStalled", "", 90)
        self.expect_condition(applied, "Running", "True", "MembersRunning", "")
        self.stop_worker(applied)
        self.expect_failure(
            applied, "ProgressDeadlineExceeded", r"spec.run.backoffLimit allows 1 restart; last: no new step within "
            r"spec.run.progressDeadlineSeconds \(10\)", "has failed: it stalled more often than spec.run.backoffLimit allows",
            "`carrack logs stuck` may say where it hangs.")

    def test_the_time_to_live(self):
        applied = self.apply("gone", single(NOWHERE), "{startDeadlineSeconds: 1, ttlSecondsAfterFinished: 5}")
        self.expect_condition(applied, "Finished", "True", "StartDeadlineExceeded", ".*")
        ended = time.monotonic()
        access.eventually("it is deleted", 60, lambda: not access.kubectl(
            "get", "tj", applied.name, "-n", self.team, "--ignore-not-found"))
        # Times in the status are whole seconds.
        self.assertGreater(time.monotonic() - ended, 3)
        self.assertLess(time.monotonic() - ended, 10)


def is_trainer_of(process: Path, pod_uid: str) -> bool:
    try:
        return (process / "comm").read_text().startswith("carrack-train") and f"pod{pod_uid}" in (process / "cgroup").read_text()
    except OSError:
        return False  # It has just ended.


if __name__ == "__main__":
    unittest.main(verbosity=2)
