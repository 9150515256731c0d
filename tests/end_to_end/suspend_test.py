"""A run is stopped, orderly or not, and continued: its work is committed when it is asked to stop, no process is left, and
the tally is exact in the end. TensorFlow writes the records and reads the checkpoints."""

import json
import os
import signal
import time
import unittest
from pathlib import Path

import job
import tally
from checkpoints import step_of
from support import machine, object_store

machine.program("fake-gcs-server")  # skips this file if it is not built
# Cuts are rare and every batch is full, so a commit of step N has N * BATCH records, and most are not regular ones.
RECORDS, BATCH, EPOCHS, EVERY_STEPS = 8192, 64, 30, 1000


class Suspend(tally.TallyCase, unittest.TestCase):
    spec = tally.Tally("", "", RECORDS, EPOCHS, BATCH, EVERY_STEPS)

    def saved_job(self) -> dict:
        return json.loads((self.folder / "job.json").read_text())

    def steps(self) -> tuple[int, int]:
        """The steps that are done and those that are committed, as the status says."""
        status = self.saved_job()["status"] if (self.folder / "job.json").exists() else {}
        return status.get("progress", {}).get("step", 0), status.get("lastCheckpoint", {}).get("step", 0)

    def wait_between_cuts(self, run: job.Run) -> None:
        """Waits until there is a commit, and work after it, and the next cut is far away."""
        def is_between() -> bool:
            done, committed = self.steps()
            return committed > 0 and EVERY_STEPS // 10 < done % EVERY_STEPS <= run.step() % EVERY_STEPS < EVERY_STEPS // 3

        run.expect(is_between, 120, "it is between two cuts")

    def processes_left(self) -> list[str]:
        """Every process with this job's UID, also those that the test did not see start."""
        uid = f"CARRACK_JOB_UID={self.saved_job()['metadata']['uid']}\0".encode()
        return [str(process) for process in Path("/proc").glob("[0-9]*") if uid in environment(process)]

    def continues_to_the_end(self, spec: tally.Tally, from_step: int) -> None:
        with self.run_job(spec) as run:
            self.assertIn(f"goes on with the run in {self.folder}, from step {from_step}\n", run.finish())
        self.assertEqual(tally.problems({self.checkpoints.folder: spec}), [])

    def suspend_and_go_on(self, by: signal.Signals, **fields: str | int) -> None:
        spec = self.spec._replace(**fields)
        with self.run_job(spec) as run:
            self.wait_between_cuts(run)
            run.process.send_signal(by)
            printed = run.finish(exit_code=130)
        self.assertEqual(self.processes_left(), [])
        done, step = self.steps()
        print(f"{fields}: suspended at step {step}", flush=True)
        self.assertEqual(done, step, "all that was done is committed")
        self.assertNotEqual(step % EVERY_STEPS, 0, "what was done since the last regular cut was committed")
        self.assertIn(f"suspended; it goes on from step {step}\n", printed)
        self.assertIn(f"to go on: carrack run {' '.join(run.arguments)}\n", printed)
        self.assertEqual(max(map(step_of, self.checkpoints.names())), step)
        self.assertEqual(self.checkpoints.committed_step(), step)
        self.continues_to_the_end(spec, step)

    def test_commits_what_is_done_and_goes_on_from_there_in_sync(self):
        self.suspend_and_go_on(signal.SIGINT, consistency="Sync")

    def test_commits_what_is_done_and_goes_on_from_there_in_async(self):
        # It does thousands of steps while the test looks and sends the signal.
        self.suspend_and_go_on(signal.SIGTERM, consistency="Async", epochs=20 * EPOCHS)

    def test_commits_what_is_done_when_its_terminal_is_closed(self):
        self.suspend_and_go_on(signal.SIGHUP)

    def test_commits_what_is_done_although_a_closed_terminal_sends_two_signals(self):
        with self.run_job(self.spec) as run:
            self.wait_between_cuts(run)
            servers = run.running("ps")
            for server in servers:
                os.kill(server.pid, signal.SIGSTOP)  # What is done cannot be committed between the two signals.
            run.process.send_signal(signal.SIGHUP)
            run.expect(lambda: self.saved_job()["spec"]["run"]["suspend"], 60, "it suspends the job")
            run.process.send_signal(signal.SIGHUP)
            for server in servers:
                os.kill(server.pid, signal.SIGCONT)
            printed = run.finish(exit_code=130)
        done, committed = self.steps()
        self.assertEqual(done, committed, "all that was done is committed")
        self.assertIn(f"suspended; it goes on from step {committed}\n", printed)

    def test_commits_what_is_done_and_goes_on_from_there_in_one_process(self):
        self.suspend_and_go_on(signal.SIGINT, strategy=job.SINGLE, epochs=80 * EPOCHS)

    def test_commits_what_is_done_while_the_workers_wait_for_data(self):
        with object_store.fake_gcs("bucket") as server, object_store.fault_proxy(server) as proxy:
            for file in self.data.iterdir():
                object_store.put(server, "bucket", file.name, file.read_bytes())
            spec = self.spec._replace(data="gs://bucket", stages="[]")
            environment = {"STORAGE_EMULATOR_HOST": proxy.url}
            manifest = spec.manifest() + "  run: {drainSeconds: 25}\n"
            with job.Run(self.home, manifest, environment=environment) as run:
                run.expect(lambda: run.step() > 500, 60, "it trains")
                proxy.set({"rules": [{"slow": {"first_byte_ms": 100_000}}]})
                stopped_at = -1
                while stopped_at != (stopped_at := run.step()):
                    time.sleep(1)
                run.process.send_signal(signal.SIGTERM)
                printed = run.finish(exit_code=130)
            done, committed = self.steps()
            self.assertEqual((done, committed), (stopped_at, stopped_at), "all that was done is committed")
            self.assertIn(f"suspended; it goes on from step {committed}\n", printed)
            proxy.set({})
            with job.Run(self.home, manifest, environment=environment) as run:
                run.finish()
        self.assertEqual(tally.problems({self.checkpoints.folder: spec}), [])

    def test_goes_on_after_carrack_run_was_killed(self):
        with self.run_job(self.spec) as run:
            self.wait_between_cuts(run)
            run.kill_all()
        deadline = time.monotonic() + 10
        while self.processes_left() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(self.processes_left(), [], "they end with who started them")
        before = self.saved_job()
        self.continues_to_the_end(self.spec, self.steps()[1])
        after = self.saved_job()
        self.assertEqual(after["metadata"]["uid"], before["metadata"]["uid"])
        self.assertEqual(after["status"]["members"]["coordinator-0"]["incarnation"], 2)

    def test_a_folder_is_of_one_run_and_a_second_interrupt_ends_it_at_once(self):
        with self.run_job(self.spec) as run:
            self.wait_between_cuts(run)
            with self.run_job(self.spec) as second:
                self.assertEqual(second.finish(exit_code=2),
                                 f"carrack run: {self.folder}: another `carrack run` is at work there; wait until it has "
                                 "ended, or give another --folder\n")
            for server in run.running("ps"):
                os.kill(server.pid, signal.SIGSTOP)  # What is done cannot be committed between the two signals.
            run.process.send_signal(signal.SIGINT)
            run.process.send_signal(signal.SIGTERM)
            printed = run.finish(exit_code=130)
        done, committed = self.steps()
        self.assertIn(f"ended; it goes on from step {committed}, and computes {done - committed} steps again that "
                      "were not committed\n", printed)
        self.assertEqual(self.processes_left(), [])
        self.continues_to_the_end(self.spec, committed)

    def test_a_run_that_has_ended_says_how_and_one_of_another_job_is_refused(self):
        spec = self.spec._replace(epochs=1)
        with self.run_job(spec) as run:
            run.finish()
        with self.run_job(spec) as again:
            self.assertEqual(again.finish(),
                             f"carrack run: {self.folder}: this run has ended: Succeeded (TrainingSucceeded); checkpoint of step "
                             f"{spec.steps_in_epoch()}: {self.checkpoints.last('manifest')[0].with_suffix('')}; to train from the start, "
                             f"remove {self.folder}, or give another --folder\n")
        with self.run_job(spec._replace(epochs=2)) as other:
            self.assertEqual(other.finish(exit_code=2),
                             f"carrack run: {self.folder}: holds the run of another job, as spec.training.epochs differs; "
                             "put it back, or give this one another --folder, with spec.checkpoint.resume: "
                             f"{self.checkpoints.folder} to go on from what that run has trained\n")

    def test_a_manifest_that_says_suspend_starts_nothing(self):
        manifest = self.spec._replace(epochs=1).manifest()
        with job.Run(self.home, manifest + "  run: {suspend: true}\n") as run:
            self.assertIn(f"to go on: take spec.run.suspend out of {self.home}/job.yaml, then carrack run",
                          run.finish(exit_code=130))
        self.assertEqual(list((self.folder / "logs").iterdir()), [])
        with job.Run(self.home, manifest) as run:
            run.finish()


def environment(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:
        return b""


if __name__ == "__main__":
    unittest.main()
