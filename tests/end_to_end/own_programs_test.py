"""Programs of TensorFlow and PyTorch run unmodified under `carrack run`, and go on when a worker is killed.

    own_programs_test.py [torch]"""

import json
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import own_programs
from support.programs_of_run import programs_of

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"
PROGRAM = own_programs.chosen()


class Run:
    """One `carrack run` of a manifest in a folder."""

    def __init__(self, folder: Path, manifest: str):
        self.logs = folder / "run/logs"
        (folder / "job.json").write_text(manifest)
        self.process = subprocess.Popen([BIN / "carrack", "run", folder / "job.json", "--folder", folder / "run"],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def finish(self, seconds: float = 120) -> tuple[int, str]:
        printed, _ = self.process.communicate(timeout=seconds)
        return self.process.returncode, printed + "".join(log.read_text() for log in sorted(self.logs.glob("*")))

    def log(self, member: str, attempt: int = 0, incarnation: int = 1) -> str:
        return "".join(log.read_text() for log in self.logs.glob(f"*-{member}-{attempt}-{incarnation}.log"))

    def pid_of(self, role: str, index: int) -> int:
        for pid in programs_of(self.process.pid):
            variables = own_programs.environment_of(pid)
            if (variables.get("CARRACK_ROLE"), variables.get("CARRACK_INDEX")) == (role, str(index)):
                return pid
        raise AssertionError(f"{role} {index} does not run")

    def until(self, happened, seconds: float, what: str) -> None:
        deadline = time.monotonic() + seconds
        while not happened():
            if time.monotonic() > deadline or self.process.poll() is not None:
                self.process.kill()
                raise AssertionError(f"waited in vain until {what}\n{self.finish()[1]}")
            time.sleep(0.05)


def shell(name: str, script: str, more: str = "", workers: int = 2) -> str:
    return f"""
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: {name}}}
spec:
  strategy: Own
  {more}
  replicas:
    worker:
      count: {workers}
      template: {{spec: {{containers: [{{name: trainer, image: nowhere/own, command: [sh, -c, '{script}']}}]}}}}
"""


# In the process group of the program, and in a session of its own whose parent has ended.
BACKGROUND = "sleep 1000 & echo child $!"
DAEMON = "(setsid sh -c \"echo child \\$\\$; exec sleep 1000\" &)"


def started_by(log: str) -> list[int]:
    return [int(line.split()[1]) for line in log.splitlines() if line.startswith("child ")]


TFJOB = """
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: echo}
spec:
  tfReplicaSpecs:
    Chief:
      restartPolicy: OnFailure
      template: &echo
        spec:
          containers:
          - {name: tensorflow, image: nowhere/echo, command: [sh, -c, "echo $TF_CONFIG; sleep 0.$SLEEP"], env: [{name: SLEEP, value: "2"}]}
    Worker: {replicas: 2, restartPolicy: OnFailure, template: *echo}
"""


class OwnPrograms(unittest.TestCase):
    def run_of(self, manifest: str) -> Run:
        run = Run(Path(self.enterContext(tempfile.TemporaryDirectory())), manifest)
        self.addCleanup(run.process.wait)
        self.addCleanup(run.process.kill)
        return run

    def test_goes_on_when_a_worker_is_killed(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        run = self.run_of(own_programs.manifest("own", PROGRAM, folder))
        run.until(lambda: own_programs.last_step(run.log(PROGRAM.leader)) > 40, 120, "it trains")
        os.kill(run.pid_of("worker", 1), signal.SIGKILL)
        exit_code, said = run.finish()
        self.assertEqual(exit_code, 0, said)
        attempt = 1 if PROGRAM.restarts_as_one else 0
        log = run.log(PROGRAM.leader, attempt)
        self.assertEqual(own_programs.first_step(log) > 0, PROGRAM.restarts_as_one)
        self.assertTrue(list(run.logs.glob(f"*-worker-1-{attempt}-{1 if attempt else 2}.log")), said)
        slope, intercept = own_programs.fitted(log)
        self.assertAlmostEqual(slope, 3, delta=0.05)
        self.assertAlmostEqual(intercept, 2, delta=0.05)

    def test_all_workers_may_be_what_counts(self):
        exit_code, said = self.run_of(shell("all", "sleep 0.$CARRACK_INDEX; echo $CARRACK_INDEX done",
                                            "success: AllWorkers", 3)).finish()
        self.assertEqual(exit_code, 0, said)
        self.assertIn("Succeeded (TrainingSucceeded)", said)
        for index in range(3):
            self.assertIn(f"{index} done", said)

    def test_what_it_has_started_ends_with_it(self):
        run = self.run_of(shell("children", f"{BACKGROUND}; {DAEMON}; sleep 0.5; test $CARRACK_INDEX = 0"))
        exit_code, said = run.finish()
        self.assertEqual(exit_code, 0, said)
        self.assertGreaterEqual(len(started_by(said)), 4, said)
        self.assertEqual([pid for pid in started_by(said) if own_programs.environment_of(pid)], [], said)

    def test_what_it_has_started_ends_with_an_interrupted_run(self):
        run = self.run_of(shell("interrupted", f"{BACKGROUND}; {DAEMON}; exec sleep 1000"))
        run.until(lambda: all(len(started_by(run.log(f"worker-{index}"))) == 2 for index in range(2)), 20, "both have daemons")
        run.process.send_signal(signal.SIGINT)
        exit_code, said = run.finish()
        self.assertEqual(exit_code, 130, said)
        self.assertEqual([pid for pid in started_by(said) if own_programs.environment_of(pid)], [], said)

    def test_nothing_is_left_of_a_run_that_is_killed(self):
        run = self.run_of(shell("killed", f"{BACKGROUND}; {DAEMON}; exec sleep 1000"))
        run.until(lambda: all(len(started_by(run.log(f"worker-{index}"))) == 2 for index in range(2)), 20, "both have daemons")
        programs = programs_of(run.process.pid)
        self.assertGreaterEqual(len(programs), 2)
        run.process.kill()
        exit_code, said = run.finish()
        self.assertEqual(exit_code, -signal.SIGKILL, said)
        deadline = time.monotonic() + 20
        while left := [pid for pid in (*programs, *started_by(said)) if own_programs.environment_of(pid)]:
            self.assertLess(time.monotonic(), deadline, f"{left} are left\n{said}")
            time.sleep(0.01)

    def test_a_converted_job_of_kubeflow_runs(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "tfjob.yaml").write_text(TFJOB)
        subprocess.run([BIN / "carrack", "convert", folder / "tfjob.yaml", "--to", folder / "job.yaml"], check=True, capture_output=True)
        exit_code, said = self.run_of((folder / "job.yaml").read_text()).finish()
        self.assertEqual(exit_code, 0, said)
        tasks = [json.loads(line)["task"] for line in said.splitlines() if line.startswith('{"cluster"')]
        self.assertIn({"type": "worker", "index": 1}, tasks)
        self.assertIn({"type": "chief", "index": 0}, tasks)

    def test_fails_once_it_has_failed_too_often(self):
        run = self.run_of(shell("fails", "echo no luck; exit 3", "framework: PyTorch\n  run: {backoffLimit: 0}", 1))
        exit_code, said = run.finish()
        self.assertEqual(exit_code, 1, said)
        self.assertIn("Failed (BackoffLimitExceeded)", said)
        self.assertIn("worker 0: exit code 3: no luck", said)

    def test_several_last_lines_are_one_in_every_message(self):
        run = self.run_of(shell("lines", "echo Traceback:; echo; echo no luck; exit 3", "run: {failureRules: [{exitCodes: [3], action: Fail}]}", 1))
        exit_code, said = run.finish()
        self.assertEqual(exit_code, 1, said)
        words = "worker 0: exit code 3: Traceback: | no luck"
        self.assertIn(f"Failed (FailureRule): {words}\n", said)
        explained = subprocess.run([BIN / "carrack", "explain", run.logs.parent], capture_output=True, text=True).stdout
        self.assertRegex(explained, rf"cause +FailureRule, for .*: {re.escape(words)}\n")

    def test_a_program_that_this_machine_does_not_have_is_refused(self):
        exit_code, said = self.run_of(shell("absent", "true").replace("[sh, -c, 'true']", "[no-such-program]")).finish()
        self.assertEqual(exit_code, 2, said)
        self.assertIn("command[0]: 'no-such-program' is not a program on this machine; the image is not used here (line 11)", said)

    def test_a_program_that_cannot_be_executed_fails_the_job_at_once(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        program = folder / "fit"
        program.write_text("echo no first line\n")
        program.chmod(0o755)
        exit_code, said = self.run_of(shell("refused", "true").replace("[sh, -c, 'true']", f"[{program}]")).finish()
        self.assertEqual(exit_code, 2, said)
        self.assertIn(f"command[0]: '{program}' does not say what runs it", said)
        self.assertIn("(line 11)", said)
        program.write_bytes(b"\x7fELF of another machine\0")
        run = self.run_of(shell("refused", "true").replace("[sh, -c, 'true']", f"[{program}]"))
        exit_code, said = run.finish(20)
        self.assertEqual(exit_code, 1, said)
        self.assertRegex(said, rf"Failed \(UserError\): worker [01]: cannot be started: {re.escape(str(program))}: Exec format error")
        explained = subprocess.run([BIN / "carrack", "explain", run.logs.parent], capture_output=True, text=True).stdout
        self.assertIn("The program of spec.replicas.worker.template", " ".join(explained.split()))

    def test_an_interrupt_ends_all_and_the_run_goes_on_later(self):
        manifest = shell("stopped", "echo starts; test $CARRACK_INCARNATION = 2 || exec sleep 1000")
        run = self.run_of(manifest)
        run.until(lambda: all("starts" in run.log(f"worker-{index}") for index in range(2)), 20, "both have started")
        state = lambda: json.loads((run.logs.parent / "job.json").read_text())["status"]["state"]
        run.until(lambda: state() == "Running", 5, "it is said to run")
        run.process.send_signal(signal.SIGINT)
        exit_code, said = run.finish()
        self.assertEqual(exit_code, 130, said)
        self.assertIn("all processes are told to end", said)
        self.assertIn("suspended\n", said)
        exit_code, said = Run(run.logs.parents[1], manifest).finish()
        self.assertEqual(exit_code, 0, said)
        self.assertIn("goes on with the run in", said)
        exit_code, said = Run(run.logs.parents[1], manifest).finish()
        self.assertIn("this run has ended: Succeeded (TrainingSucceeded); to train from the start, remove", said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
