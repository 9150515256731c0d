"""`carrack explain`, `logs` and `top` on a real cluster, as a user types them, also as `kubectl carrack`: jobs that wait,
train, fail and are not there, with all rights and with too few."""

import json
import os
import re
import subprocess
import unittest
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

import job
import on_cluster
import tally
from cluster import access
from support import machine

SMALL = "{cpu: 50m, memory: 64Mi}"
HUGE = '{cpu: "1000", memory: 64Mi}'
RECORDS, BATCH, EPOCHS, EVERY_STEPS = 10_000, 128, 5_000, 100
READER = "reader"


class Explain(on_cluster.OnCluster, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        tally.write_records(cls.folder / "data", RECORDS)
        cls.store.put_records("data", cls.folder / "data")

    def environment(self, kubeconfig: Path | None = None) -> dict[str, str]:
        """With our programs and kubectl in PATH, as for a user."""
        folders = [str(job.BIN), str(Path(machine.program("kubectl")).parent), os.environ["PATH"]]
        return os.environ | {"PATH": ":".join(folders), "KUBECONFIG": str(kubeconfig or access.kubeconfig())}

    def carrack(self, *arguments: str, exit_code: int = 0, kubeconfig: Path | None = None,
                program: tuple[str, ...] = (str(job.BIN / "carrack"),)) -> subprocess.CompletedProcess:
        done = subprocess.run([*program, *arguments], env=self.environment(kubeconfig), capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        return done

    def explained(self, name: str, **options) -> dict[str, str]:
        verdict, *lines = self.carrack("explain", name, "-n", self.team, **options).stdout.splitlines()
        return {"": verdict} | {line[:14].strip(): line[14:] for line in lines}

    def wait_until_it(self, name: str, verdict: str) -> dict[str, str]:
        return access.eventually(f"{name} {verdict}", 90,
                                 lambda: said if verdict in (said := self.explained(name))[""] else None)

    def apply(self, name: str, data: str = "data", workers: str = SMALL) -> on_cluster.Job:
        strategy = ("strategy: ParameterServer\n"
                    f"  replicas: {{ps: {{count: 1, resources: {{requests: {SMALL}}}}}, "
                    f"worker: {{count: 2, resources: {{requests: {workers}}}}}}}")
        spec = tally.Tally(f"gs://{on_cluster.BUCKET}/{data}", f"gs://{on_cluster.BUCKET}/{name}", RECORDS, EPOCHS, BATCH,
                           EVERY_STEPS, strategy)
        applied = on_cluster.Job(self.team, spec.manifest().replace("name: tally", f"name: {name}"))
        self.addCleanup(applied.delete)
        return applied

    def test_a_job_that_no_node_can_take(self):
        self.apply("large", workers=HUGE)
        said = access.eventually("the workers alone wait", 90, lambda: said if re.search(r"s: 2 of 2 workers \(0, 1\): ", (
            said := self.explained("large")).get("cause", "")) else None)
        self.assertEqual(said[""], "large waits: no node can take 2 of 2 workers")
        self.assertRegex(said["cause"], r"^Unschedulable, for \d+ s: 2 of 2 workers \(0, 1\): 0/\d+ nodes are available: .*cpu")
        self.assertIn("Ask for less in spec.replicas.worker.resources, or add nodes.", said["what to do"])
        self.assertRegex(said["worker-1"], r"^pending, pod large-\w+-worker-1-0-1$")
        said = access.eventually("an event", 60, lambda: s if "event" in (s := self.explained("large")) else None)
        self.assertRegex(said["event"], r"^\d+ s ago(, \d+ times)?, pod large-\w+-worker-\d-0-1: FailedScheduling: 0/\d+ nodes")
        as_plugin = self.carrack("carrack", "explain", "large", "-n", self.team, program=("kubectl",)).stdout
        self.assertEqual(as_plugin.splitlines()[0], said[""])
        top = self.carrack("top", "large", "-n", self.team).stdout.splitlines()
        self.assertRegex(top[-1], r"^worker-1 +pending +- +0 +0/\d+ nodes are available")
        logs = self.carrack("logs", "large", "-n", self.team, "--member", "worker-1").stdout
        self.assertRegex(logs, r"^worker-1 +\| -- large-\w+-worker-1-0-1 is pending: 0/\d+ nodes are available")

    def test_a_job_that_trains_and_loses_a_pod(self):
        applied = self.apply("fine")
        said = self.wait_until_it("fine", " left at its average pace")
        self.assertRegex(said[""], r"^fine trains: step [\d,]+ of [\d,]+ \(\d+%\), about .* left at its average pace$")
        self.assertEqual(said["running"], "1 of 1 coordinator, 1 of 1 ps and 2 of 2 workers")
        top = self.carrack("top", "fine", "-n", self.team).stdout.splitlines()
        self.assertRegex(top[1], r"steps/s, [\d,.]+ records/s on average")
        self.assertEqual([line.split()[:2] for line in top[3:]], [
            [member, "running"] for member in ("coordinator-0", "ps-0", "worker-0", "worker-1")])
        self.assertTrue(all(line.split()[2] != "-" for line in top[3:]), top)
        follow = subprocess.Popen([job.BIN / "carrack", "logs", "fine", "-n", self.team, "-f"], env=self.environment(),
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(follow.communicate)
        self.addCleanup(follow.kill)
        self.assertRegex(follow.stdout.readline(), r"^(coordinator|ps|worker)-\d +\| ")
        deleted = applied.delete_pod("worker", 1)
        replacement = deleted.rpartition("-")[0] + "-2"
        while f"-- {replacement} runs" not in (line := follow.stdout.readline()):
            self.assertTrue(line, "it ended")
        self.assertTrue(line.startswith("worker-1 "), line)
        logs = self.carrack("logs", "fine", "-n", self.team, "--tail", "1").stdout.splitlines()
        self.assertRegex(logs[0], r"^fine +\| -- last failure: worker-1, ")
        self.assertIn("coordinator-0", {line.split()[0] for line in logs[1:]}, "others may have printed nothing")

    def test_a_job_that_fails(self):
        self.apply("bad", data="nowhere").wait("Finished", 90)
        said = self.explained("bad")
        self.assertEqual(said[""], "bad has failed: a member found a mistake that a retry would find again")
        words = rf"spec.data.train.files: no object matches gs://{on_cluster.BUCKET}/nowhere/"
        self.assertRegex(said["cause"], rf"^UserError, for \d+ s: (\w+) (\d): UserError: {words}")
        member = "-".join(re.search(r"s: (\w+) (\d):", said["cause"]).groups())
        self.assertIn(member, said)
        self.assertRegex(said[member], rf"^ended, pod bad-\w+-{member}-0-1, on node \S+: exit code 81 \(UserError\): {words}")
        logs = self.carrack("logs", "bad", "-n", self.team, "--member", member).stdout.splitlines()
        self.assertRegex(logs[-1], rf"^{member} +\| -- bad-\w+-{member}-0-1 ended: exit code 81 \(UserError\): {words}")
        self.assertTrue(any(re.match(rf"{member} +\| {words}", line) for line in logs), logs)
        top = self.carrack("top", "bad", "-n", self.team).stdout
        self.assertRegex(top, rf"(?m)^{member} +ended +\S+ +0 +exit code 81 \(UserError\): {words}")

    def test_a_job_that_is_not_there(self):
        for command in ("explain", "logs", "top"):
            done = self.carrack(command, "none", "-n", self.team, exit_code=2)
            self.assertEqual((done.stdout, done.stderr),
                             ("", f"carrack {command}: TrainingJob none in namespace {self.team}: there is none; "
                                  "`kubectl get trainingjobs -A` lists all\n"))
        done = self.carrack("explain", "none", exit_code=2)
        self.assertIn("TrainingJob none in namespace default: there is none", done.stderr)
        done = self.carrack("explain", "none", "--context", "nobody", exit_code=2)
        self.assertEqual(done.stderr, f"carrack explain: {access.kubeconfig()}: --context names context 'nobody', which does "
                                      "not exist\n")

    @contextmanager
    def reader(self, *resources: str) -> Iterator[Path]:
        """A kubeconfig of somebody who may read these alone, with the team's namespace in its context."""
        kubectl = [("serviceaccount", READER)]
        if resources:
            kubectl += [("role", READER, "--verb=get,list", f"--resource={','.join(resources)}"),
                        ("rolebinding", READER, f"--role={READER}", f"--serviceaccount={self.team}:{READER}")]
        for arguments in kubectl:
            access.kubectl("create", *arguments, "-n", self.team)
        config = json.loads(access.kubectl("config", "view", "--raw", "--flatten", "--minify", "-o", "json"))
        config["users"][0]["user"] = {"token": access.kubectl("create", "token", READER, "-n", self.team).strip()}
        config["contexts"][0]["context"]["namespace"] = self.team
        path = self.folder / "reader.yaml"
        path.write_text(json.dumps(config))
        try:
            yield path
        finally:
            for kind, *_ in kubectl:
                access.kubectl("delete", kind, READER, "-n", self.team)

    def test_somebody_without_rights(self):
        self.apply("closed", workers=HUGE)
        access.eventually("only the workers wait", 90, lambda: self.explained("closed").get("running") ==
                          "1 of 1 coordinator, 1 of 1 ps and 0 of 2 workers")
        user = f'User "system:serviceaccount:{self.team}:{READER}" cannot'
        with self.reader() as kubeconfig:
            done = self.carrack("explain", "closed", exit_code=2, kubeconfig=kubeconfig)
        self.assertEqual(done.stderr, (
            f"carrack explain: TrainingJob closed in namespace {self.team}: you may not read it: trainingjobs.carrack.dev "
            f'"closed" is forbidden: {user} get resource "trainingjobs" in API group "carrack.dev" in the namespace '
            f'"{self.team}"; have a role bound to you that may, such as `view`\n'))
        with self.reader("trainingjobs.carrack.dev") as kubeconfig:
            done = self.carrack("explain", "closed", kubeconfig=kubeconfig)
            lines = done.stdout.splitlines()
            self.assertEqual(lines[0], "closed waits: no node can take 2 of 2 workers")
            self.assertEqual([line for line in lines if line.startswith("not known")], [
                f'not known     its pods: pods is forbidden: {user} list resource "pods" in API group "" in the namespace '
                f'"{self.team}"',
                f'not known     events: events.events.k8s.io is forbidden: {user} list resource "events" in API group '
                f'"events.k8s.io" in the namespace "{self.team}"'])
            done = self.carrack("logs", "closed", exit_code=1, kubeconfig=kubeconfig)
            self.assertEqual(done.stderr, f"carrack logs: its pods: pods is forbidden: {user} list resource \"pods\" in API "
                                          f'group "" in the namespace "{self.team}"\n')
        with self.reader("trainingjobs.carrack.dev", "pods", "events.events.k8s.io") as kubeconfig:
            said = self.explained("closed", kubeconfig=kubeconfig)
            self.assertNotIn("not known", said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
