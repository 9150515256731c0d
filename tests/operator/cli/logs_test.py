"""`carrack logs` prints the logs of a run on this machine, also while it runs and its members are replaced, and follows
those of a job in a cluster through faults of the API server."""

import fcntl
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from line_run import BIN, ENDLESS, NO_CLUSTER, LineRun
from support.programs_of_run import programs_of
from support.served import Served

NO_MEMBER = "is not a member of the job; there are coordinator-0, ps-0, worker-0 to worker-1"


def kill_worker(run: subprocess.Popen) -> None:
    """Kills worker 0 of the run."""
    for program in programs_of(run.pid):
        environment = Path(f"/proc/{program}/environ").read_bytes().split(b"\0")
        if b"CARRACK_ROLE=worker" in environment and b"CARRACK_INDEX=0" in environment:
            os.kill(program, signal.SIGKILL)
            return
    raise AssertionError("worker 0 does not run")


class Logs(LineRun, unittest.TestCase):
    command = "logs"

    def lines(self, *arguments: str) -> list[tuple[str, str]]:
        return [tuple(line.split(" | ", 1)) for line in self.carrack("run", *arguments).stdout.splitlines()]

    def write_log(self, name: str, text: str) -> None:
        (self.folder / f"run/logs/line-x1y2z-{name}.log").write_text(text)

    def test_prints_the_last_start_of_each_member_and_how_those_before_ended(self):
        self.run_job(files="none.tfrecord").wait(60)
        for log in (self.folder / "run/logs").iterdir():
            log.unlink()
        no_logs = "carrack logs: no member has been started yet\n"
        self.assertEqual(self.carrack("run", exit_code=1).stderr, no_logs)
        self.assertEqual(self.carrack("run", "--follow").stderr, no_logs, "the run is over")
        self.write_log("coordinator-0-0-1", "log: waits\nlog: trains\n")
        self.write_log("worker-1-0-1", "log: trains\nTraceback:\n  cannot write\n\n")
        self.write_log("worker-1-0-2", "log: trains\n")
        self.write_log("worker-1-1-1", "log: trains \x1b[2J\nlog: step 10")
        self.assertEqual(self.lines(), [
            ("coordinator-0", "log: waits"), ("coordinator-0", "log: trains"),
            ("worker-1     ", "-- line-x1y2z-worker-1-0-1 ended: Traceback: | cannot write"), ("worker-1     ", "-- line-x1y2z-worker-1-0-2 ended"),
            ("worker-1     ", r"log: trains \x1b[2J"), ("worker-1     ", "log: step 10")])
        self.assertEqual(self.lines("--tail", "1", "--member=coordinator-0"), [("coordinator-0", "log: trains")])
        self.assertEqual({name for name, _ in self.lines("--member", "worker-1,ps-0")}, {"worker-1     "})
        self.assertEqual(self.carrack("run", "--member", "ps-0", exit_code=1).stderr, no_logs)

    def test_says_how_the_start_ended_that_ended_the_run(self):
        self.run_job(files="none.tfrecord").wait(60)
        ends = [(name.strip(), line) for name, line in self.lines() if line.startswith("-- ")]
        self.assertEqual(len(ends), 1, ends)
        name, line = ends[0]
        self.assertRegex(line, rf"^-- line-\w+-{name}-0-1 ended: exit code 81 \(UserError\): spec\.data\.train\.files: no file matches ")

    def test_follows_a_run_until_it_ends(self):
        run = self.run_job(epochs=ENDLESS)
        self.wait_until_it("line trains: step ")
        follow = subprocess.Popen([BIN / "carrack", "logs", "run", "-f"], cwd=self.folder, env=os.environ | NO_CLUSTER,
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(follow.communicate)
        self.addCleanup(follow.kill)
        self.assertTrue(follow.stdout.readline())
        kill_worker(run)
        while "worker-0" not in (line := follow.stdout.readline()) or " | -- " not in line:
            self.assertTrue(line, "it ended")
        self.assertRegex(line, r"^worker-0      \| -- (line-\w+-worker-0-0)-1 ended; \1-2 starts\n$")
        run.send_signal(signal.SIGINT)
        run.wait(60)
        follow.communicate(timeout=30)
        self.assertEqual(follow.returncode, 0)

    def test_follows_all_that_a_member_prints_that_starts_later(self):
        self.run_job(files="none.tfrecord").wait(60)
        for log in (self.folder / "run/logs").iterdir():
            log.unlink()
        self.write_log("coordinator-0-0-1", "log: waits\nlog: trains\n")
        with open(self.folder / "run/lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # as a `carrack run` that is at work
            follow = subprocess.Popen([BIN / "carrack", "logs", "run", "-f", "--tail", "1"], cwd=self.folder,
                                      env=os.environ | NO_CLUSTER, stdout=subprocess.PIPE, text=True)
            self.addCleanup(follow.communicate)
            self.addCleanup(follow.kill)
            self.assertEqual(follow.stdout.readline(), "coordinator-0 | log: trains\n")
            (self.folder / "new").write_text("log: waits\nlog: step 10\n")
            (self.folder / "new").rename(self.folder / "run/logs/line-x1y2z-worker-1-0-1.log")
            self.assertEqual(follow.stdout.readline(), "worker-1      | log: waits\n")
            self.assertEqual(follow.stdout.readline(), "worker-1      | log: step 10\n")
        follow.communicate(timeout=30)
        self.assertEqual(follow.returncode, 0)

    def test_ends_if_nobody_reads(self):
        self.run_job(epochs=ENDLESS)
        self.wait_until_it("line trains: step ")
        done = subprocess.run(["bash", "-c", f"{BIN}/carrack logs run -f | head -1"], cwd=self.folder, capture_output=True,
                              env=os.environ | NO_CLUSTER, text=True, timeout=60)
        self.assertIn(" | log: ", done.stdout)

    def test_says_what_it_needs(self):
        self.run_job(files="none.tfrecord").wait(60)
        self.refused([
            (["none/"], "none: is not a folder; name that of a `carrack run`, or a job without any '/'"),
            (["line"], "no run folder line, and no cluster: /nowhere/.kube/config: no such file; set KUBECONFIG to the file that you use"),
            (["run", "--member", "worker-2"], f"--member: 'worker-2' {NO_MEMBER}"),
            (["run", "--member", "ps-0,worker"], f"--member: 'worker' {NO_MEMBER}"),
            (["run", "--tail", "0"], "--tail: is '0'; must be a whole number from 1 to 2147483647"),
            (["run", "-f=1"], "-f takes no value"),
        ])


JOB = {
    "apiVersion": "carrack.dev/v1alpha1",
    "kind": "TrainingJob",
    "metadata": {"name": "line", "namespace": "team", "uid": "1b4e28ba", "resourceVersion": "7"},
    "spec": {
        "strategy": "ParameterServer",
        "model": {"kind": "LinearRegression", "input": "x", "target": "y"},
        "data": {"train": {"files": ["gs://b/x"]}, "features": {"x": {"type": "float32"}, "y": {"type": "float32"}}},
        "training": {"batch": 32, "optimizer": {"kind": "SGD"}},
        "checkpoint": {"folder": "gs://b/out"}}}
POD = {
    "metadata": {
        "name": "line-a-worker-0-0-1",
        "namespace": "team",
        "labels": {"carrack.dev/job": "line", "carrack.dev/role": "worker", "carrack.dev/index": "0",
                   "carrack.dev/attempt": "0", "carrack.dev/incarnation": "1"},
        "ownerReferences": [{"kind": "TrainingJob", "uid": "1b4e28ba", "controller": True}]},
    "spec": {"nodeName": "node-1"},
    "status": {"phase": "Running", "containerStatuses": [{"name": "trainer", "state": {"running": {}}}]}}


class Replies(BaseHTTPRequestHandler):
    """The replies of a Cluster. A reply with a log has the lines so far; `carrack logs` then requests later ones."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        cluster, path = self.server, self.path.partition("?")[0]
        if path.endswith("/log"):
            lines = enumerate(cluster.lines)
            self.reply(200, "".join(f"2026-01-31T10:00:0{at}.000000000Z {line}\n" for at, line in lines))
        elif path.endswith("/pods") and cluster.refuses_pods:
            cluster.refused += 1
            self.reply(500, json.dumps({"kind": "Status", "message": "etcd has no leader"}))
        elif path.endswith("/pods"):
            self.reply(200, json.dumps({"items": [POD]}))
        elif cluster.has_job:
            self.reply(200, json.dumps(JOB))
        else:
            self.reply(404, json.dumps({"kind": "Status", "message": 'trainingjobs.carrack.dev "line" not found'}))

    def reply(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class Cluster(ThreadingHTTPServer):
    """An API server with one job that has one pod. A test may change what it has."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Replies)
        self.has_job, self.refuses_pods, self.refused, self.lines = True, False, 0, ["one"]


class LogsInCluster(unittest.TestCase):
    def setUp(self):
        self.cluster = Cluster()
        host = self.enterContext(Served(self.cluster)).host
        kubeconfig = Path(self.enterContext(tempfile.TemporaryDirectory()), "config")
        kubeconfig.write_text(f"""
current-context: c
contexts: [{{name: c, context: {{cluster: k, namespace: team}}}}]
clusters: [{{name: k, cluster: {{server: "http://{host}"}}}}]
""")
        self.follow = subprocess.Popen([BIN / "carrack", "logs", "line", "-f"], cwd=kubeconfig.parent,
                                       env=os.environ | {"KUBECONFIG": str(kubeconfig)}, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.follow.communicate)
        self.addCleanup(self.follow.kill)
        self.assert_prints("one")

    def assert_prints(self, line: str) -> None:
        self.assertEqual(self.follow.stdout.readline(), f"worker-0      | {line}\n")

    def test_pods_that_cannot_be_listed_for_a_while_are_not_gone(self):
        self.cluster.refuses_pods = True
        deadline = time.monotonic() + 60
        while self.cluster.refused < 4:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.cluster.refuses_pods = False
        self.cluster.lines.append("two")
        self.assert_prints("two")
        self.follow.kill()
        self.assertEqual(self.follow.stderr.read(), "carrack logs: its pods: etcd has no leader; tries again\n")

    def test_follows_a_job_that_is_deleted_until_its_logs_end(self):
        self.cluster.lines.append("two")
        self.cluster.has_job = False
        self.assert_prints("two")
        self.assert_prints("-- line-a-worker-0-0-1 is gone")
        printed, errors = self.follow.communicate(timeout=60)
        self.assertEqual((self.follow.returncode, printed, errors), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
