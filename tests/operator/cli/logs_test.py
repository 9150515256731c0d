"""`carrack logs` prints the logs of a run on this machine, also while it runs and its members are replaced."""

import os
import fcntl
import json
import signal
import subprocess
import unittest
from pathlib import Path

from line_run import BIN, ENDLESS, NO_CLUSTER, LineRun
from support.programs_of_run import programs_of

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

    def test_ends_if_nobody_reads(self):
        self.run_job(epochs=ENDLESS)
        self.wait_until_it("line trains: step ")
        done = subprocess.run(["bash", "-c", f"{BIN}/carrack logs run -f | head -1"], cwd=self.folder, capture_output=True,
                              env=os.environ | NO_CLUSTER, text=True, timeout=60)
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


if __name__ == "__main__":
    unittest.main()
