"""Programs of users as workers of Carrack's parameter servers, in C and in Python; torch_workers_test.py has those of PyTorch."""

import contextlib
import select
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import launched
import tally
from checkpoints import InFiles
from interop import peers
from launched import DRAINED, SUCCEEDED, Launched, Spec
from package import PROGRAMS, Programs

LIBRARIES = ("libgrpc", "libabsl", "libprotobuf", "libisal", "libjpeg", "libpng", "libre2", "libcares")
COUNT = [sys.executable, PROGRAMS / "count_records.py"]
RECORDS, BATCH, EVERY_STEPS, EPOCHS = 10_000, 128, 40, 6  # three blocks of parameters


class CountingPrograms(Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.data = cls.home / "data"
        tally.write_records(cls.data, RECORDS)

    def spec(self, consistency: str, epochs: int = EPOCHS) -> Spec:
        return Spec([f"Constant 0 true {RECORDS} tally"], ["int64 1 id"], sorted(self.data.iterdir()), self.checkpoints.folder, BATCH,
                    epochs, learning_rate=1, every_steps=EVERY_STEPS, reduction="Sum", consistency=consistency)

    def compiled(self, name: str) -> Path:
        """A program in C, by the header and the library of the installed package."""
        program, folder = self.home / name, self.home / "package" / "carrack"
        subprocess.run(["cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-pthread", "-I", folder, "-o", program,
                        PROGRAMS / f"{name}.c", "-L", folder, "-lcarrack", f"-Wl,-rpath,{folder}"], check=True)
        return program

    def expect_exact(self, spec: Spec, first_pass: bool = False) -> None:
        counted = tally.Tally(str(self.data), self.checkpoints.url, RECORDS, spec.epochs, BATCH, EVERY_STEPS,
                              consistency=spec.consistency, first_pass=first_pass)
        self.assertEqual(tally.problems({self.checkpoints.folder: counted}), [])


class Relay:
    """Carries connections to an address, and holds what has passed."""

    def __init__(self):
        self.passed = bytearray()

    def to(self, address: str) -> str:
        """Returns where it is reached."""
        host, port = address.split(":")
        passed = self.passed

        class Carry(socketserver.BaseRequestHandler):
            def handle(self):
                try:
                    other = socket.create_connection((host, int(port)))
                except OSError:
                    return  # Nobody listens there yet, or any more.
                with other:
                    while True:
                        for ready in select.select([self.request, other], [], [])[0]:
                            try:
                                received = ready.recv(1 << 16)
                                (other if ready is self.request else self.request).sendall(received)
                            except OSError:
                                return
                            if not received:
                                return
                            passed.extend(received)

        server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Carry)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.close = lambda: (server.shutdown(), server.server_close())
        return f"127.0.0.1:{server.server_address[1]}"


class Counts(CountingPrograms, unittest.TestCase):
    """Each record counts exactly `epochs` times, also if members are killed."""

    def test_each_record_counts_once_though_members_are_killed(self):
        for consistency in ["Sync", "Async"]:
            with self.subTest(consistency), tempfile.TemporaryDirectory() as folder:
                self.folder, self.checkpoints = Path(folder), InFiles(Path(folder) / "checkpoints")
                spec = self.spec(consistency, epochs=12)
                with Launched(self.folder, spec, COUNT, self.environment) as job:
                    before = 0
                    for role, index in [("worker", 0), ("ps", 1), ("coordinator", 0), ("worker", 1)]:
                        job.expect(lambda: self.checkpoints.committed_step() > before, 60, f"{role} {index} can be killed")
                        before = self.checkpoints.committed_step()
                        job.kill(role, index)
                    job.finish()
                    starts = {member.name(): member.incarnation for member in job.members}
                self.expect_exact(spec)
                self.assertEqual(starts, {"coordinator-0": 2, "ps-0": 1, "ps-1": 2, "worker-0": 2, "worker-1": 2})

    def test_what_is_encrypted_counts_as_well(self):
        """Members are killed; a relay before the coordinator sees no frame unless the job does not encrypt."""
        for encrypts in [True, False]:
            with self.subTest(encrypts=encrypts), tempfile.TemporaryDirectory() as folder:
                self.folder, self.checkpoints = Path(folder), InFiles(Path(folder) / "checkpoints")
                spec = self.spec("Sync", epochs=4)._replace(encrypts=encrypts)
                relay = Relay()
                with Launched(self.folder, spec, COUNT, self.environment, relay.to) as job, contextlib.closing(relay):
                    for role, index in [("worker", 0), ("ps", 1)]:
                        before = self.checkpoints.committed_step()
                        job.expect(lambda: self.checkpoints.committed_step() > before, 60, f"{role} {index} can be killed")
                        job.kill(role, index)
                    job.finish()
                self.expect_exact(spec)
                self.assertEqual(b"PRI * HTTP/2.0" in relay.passed, not encrypts)
                self.assertGreater(len(relay.passed), 10_000)

    def test_a_job_that_starts_before_its_data_is_indexed(self):
        """The lanes are then fixed, and a worker computes each run of them by itself."""
        data = self.folder / "data"
        tally.write_records(data, RECORDS, files=8)
        spec = self.spec("Sync", epochs=2)._replace(files=sorted(data.iterdir()), stage="shuffle ByPlace 0 16", workers=3)
        job = self.launched(spec, COUNT)
        job.expect(lambda: self.checkpoints.committed_step() > 0, 60, "there is a commit")
        job.kill("worker", 2)
        job.finish()
        self.expect_exact(spec, first_pass=True)
        [manifest] = self.checkpoints.last("manifest")
        self.assertIn("pass=first", manifest.read_text())

    def test_a_program_in_c(self):
        spec = self.spec("Sync", epochs=2)
        job = self.launched(spec, [self.compiled("count_records")])
        job.finish()
        self.expect_exact(spec)
        printed = [job.log(job.member("worker", index)).splitlines() for index in range(2)]
        for lines in printed:
            self.assertEqual(lines[-2], f"1 tensor: tally, {RECORDS} elements, 1 dimension")
            self.assertTrue(lines[-1].endswith(" records, status 2"), lines[-1])
        self.assertGreaterEqual(sum(int(lines[-1].split()[0]) for lines in printed), 2 * RECORDS)

    def test_a_worker_leaves_when_it_gets_sigterm_and_the_others_go_on(self):
        for consistency in ["Sync", "Async"]:
            with self.subTest(consistency), tempfile.TemporaryDirectory() as folder:
                self.folder, self.checkpoints = Path(folder), InFiles(Path(folder) / "checkpoints")
                spec = self.spec(consistency)
                with Launched(self.folder, spec, COUNT, self.environment) as job:
                    job.expect(lambda: self.checkpoints.committed_step() > 0, 60, "there is a commit")
                    leaving = job.member("worker", 1).process
                    leaving.send_signal(signal.SIGTERM)
                    job.expect(lambda: leaving.poll() is not None, 20, "the worker has left")
                    self.assertEqual(leaving.returncode, DRAINED, job.logs())
                    others = [member for member in job.members if member.process is not leaving]
                    job.expect(lambda: all(one.process.poll() == SUCCEEDED for one in others), 120, "the others have ended")
                    self.assertNotIn("the loop has ended", job.log(job.member("worker", 1)))
                self.expect_exact(spec)


class Mistakes(CountingPrograms, unittest.TestCase):
    """What a program must not do: how it ends, and with which words."""

    def outcome(self, *arguments: str, seconds: float = 30) -> tuple[int, str]:
        """The exit code of one worker that makes this mistake, and the last line that it printed."""
        with tempfile.TemporaryDirectory() as folder:
            self.folder, self.checkpoints = Path(folder), InFiles(Path(folder) / "checkpoints")
            with Launched(self.folder, self.spec("Sync")._replace(workers=1, servers=1), [*COUNT, *arguments], self.environment) as job:
                worker = job.member("worker")
                worker.process.wait(seconds)
                return worker.process.returncode, job.log(worker).splitlines()[-1]

    def test_each_has_its_message(self):
        for mistake, expected in {
            "forget": (81, "carrack_next: the gradients of the batch before are not pushed; call carrack_push once for each batch"),
            "twice": (81, "push: there is no batch to push gradients of; push once for each batch of the loop"),
            "size": (81, f"push: 'tally' is f [{RECORDS - 1}], and must be float32 [{RECORDS}]"),
            "dtype": (81, f"push: 'tally' is d [{RECORDS}], and must be float32 [{RECORDS}]"),
            "unknown": (81, "push: spec.model.tensors has no 'counts'"),
            "list": (81, f"push: 'tally' is of type list, and must be an array of float32 [{RECORDS}], such as numpy's"),
            "losses": (81, "push: the loss is of shape [2]; push one number, the sum over the records of the batch"),
            "loss": (81, "push: the loss is of type str; push one number, the sum over the records of the batch"),
            "feature": (81, "spec.data.features has no 'ids'; it has id"),
            "key": (1, "KeyError: 'ids'"),
            "sleep": (82, "the program has not pushed the gradients of a batch within 2 s, so it is taken to hang; if a batch takes "
                          "longer, raise step_seconds"),
            "hang": (82, "the program has not pushed the gradients of a batch within 2 s, so it is taken to hang; if a batch takes "
                         "longer, raise step_seconds"),
            "raise": (1, "ValueError: a mistake of the program"),
            "threads": (81, "carrack_next: another thread is in a function of this worker; call them from one thread at a time"),
            "join": (81, "carrack_join: this process has joined its job before; a process joins once, so use the first worker"),
            "break": (80, None),
        }.items():
            with self.subTest(mistake):
                code, words = self.outcome(mistake)
                self.assertEqual((code, words if expected[1] else None), expected)

    def test_a_thread_leaves_while_another_one_waits_for_a_batch(self):
        job = self.launched(self.spec("Sync")._replace(workers=1), [self.compiled("leave_from_a_thread")])
        worker = job.member("worker")
        worker.process.wait(60)
        self.assertEqual((worker.process.returncode, job.log(worker).splitlines()[-1]), (DRAINED, "ok"))

    def test_a_second_sigterm_ends_a_program_that_still_computes(self):
        job = self.launched(self.spec("Sync")._replace(workers=1), [*COUNT, "wait"])
        worker = job.member("worker")
        job.expect(lambda: "has a batch" in job.log(worker), 60, "the program computes")
        worker.process.send_signal(signal.SIGTERM)
        with self.assertRaises(subprocess.TimeoutExpired):
            worker.process.wait(1)
        worker.process.send_signal(signal.SIGTERM)
        self.assertEqual(worker.process.wait(10), -signal.SIGTERM)

    def test_a_loss_that_is_not_finite_ends_the_job(self):
        job = self.launched(self.spec("Sync"), [*COUNT, "nan"])
        coordinator = job.member("coordinator")
        coordinator.process.wait(60)
        self.assertEqual(coordinator.process.returncode, 81)
        self.assertRegex(job.log(coordinator), r"spec.training: the loss of step \d+ is nan, so training has diverged")

    def test_it_is_no_worker_of_a_job(self):
        done = subprocess.run(COUNT, env=self.environment, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr),
                         (81, "the environment has no CARRACK_CONFIG; this program is for the workers of a job, which `carrack run` or "
                              "the operator start\n"))

    def test_carracks_own_trainer_cannot_compute_the_model(self):
        job = self.launched(self.spec("Sync")._replace(workers=1), [launched.TRAINER])
        worker = job.member("worker")
        worker.process.wait(60)
        self.assertEqual((worker.process.returncode, job.log(worker).splitlines()[-1]),
                         (81, "spec.model.kind: is Own, which the program of spec.replicas.worker.template computes; this is Carrack's "
                              "own trainer"))


class Wheel(Programs, unittest.TestCase):
    def test_it_brings_the_libraries_that_it_needs(self):
        """Where neither C++ packages nor numpy are: all but what every system has is the wheel's own."""
        program = "import carrack, re; carrack._library.library(); print(open('/proc/self/maps').read())"
        maps = subprocess.run(["/usr/bin/python3", "-I", "-c", f"import sys; sys.path.insert(0, '{self.home}/package'); {program}"],
                              stdout=subprocess.PIPE, check=True, text=True).stdout
        loaded = {Path(line.split()[-1]) for line in maps.splitlines() if ".so" in line}
        own = {path.name for path in loaded if path.parent == self.home / "package" / "carrack"}
        self.assertTrue(any(name.startswith("libgrpc++.so") for name in own), loaded)
        others = {path.name for path in loaded if path.parent != self.home / "package" / "carrack"}
        self.assertFalse({name for name in others if name.startswith(LIBRARIES)}, loaded)

    def test_it_works_beside_tensorflow(self):
        for order in ["import tensorflow, carrack", "import carrack; carrack._library.library(); import tensorflow"]:
            with self.subTest(order):
                done = subprocess.run([peers.python("tensorflow"), "-c", f"{order}\nprint(carrack._library.last_error() == '')"],
                                      env=self.environment, stdout=subprocess.PIPE, check=True, text=True)
                self.assertEqual(done.stdout, "True\n")

    def test_load_checkpoint_says_what_is_wrong(self):
        program = "import carrack, sys\ntry: carrack.load_checkpoint(sys.argv[1])\nexcept carrack.Error as error: print(error)"
        done = subprocess.run([sys.executable, "-c", program, self.folder / "nothing"], env=self.environment, stdout=subprocess.PIPE,
                              check=True, text=True)
        self.assertEqual(done.stdout, f"{self.folder}/nothing: does not exist; name the checkpoint folder of a job\n")


if __name__ == "__main__":
    unittest.main()
