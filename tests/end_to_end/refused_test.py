"""A job that would train something else than its manifest says fails at once, on this machine, and the message says what and
where: changed data, diverging numbers, places that cannot exist. TensorFlow writes the records and reads the checkpoints."""

import shutil
import signal
import tempfile
import unittest
from pathlib import Path

import job
import line
import networks
import tally
from checkpoints import InFiles
from interop import tensorflow_program
from interop.tensorflow_program import EXAMPLES

RECORDS, BATCH, EVERY_STEPS = 8192, 64, 50
CHANGED = "spec.data.train: the data has changed"

WRITE_LINE = EXAMPLES + """
write(sys.argv[1], ({"x": [float(x)], "y": [float(x) if x != 70 else float(sys.argv[2])]} for x in range(100)))
"""

class Refused(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def tally(self, **fields) -> tally.Tally:
        data = self.folder / "data"
        tally.write_records(data, RECORDS)
        return tally.Tally(str(data), "", RECORDS, 400, BATCH, EVERY_STEPS)._replace(**fields)

    def add_a_file(self, data: str) -> None:
        shutil.copyfile(f"{data}/tally-0.tfrecord", f"{data}/hidden")
        Path(data, "hidden").rename(f"{data}/tally-2.tfrecord")

    def test_data_that_has_changed_between_two_runs(self):
        spec, checkpoints = self.tally(), InFiles(self.folder / "run/checkpoints")
        with job.Run(self.folder, spec.manifest()) as run:
            run.expect(lambda: checkpoints.committed_step() > 0, 30, "it commits")
            run.process.send_signal(signal.SIGINT)
            run.finish(exit_code=130)
        self.add_a_file(spec.data)
        with job.Run(self.folder, spec.manifest()) as run:
            self.assertRegex(run.finish(exit_code=1),
                             rf"UserError: {CHANGED} since step {checkpoints.committed_step()}: it was files 2, records "
                             r"8192, bytes \d+, crc32c \w{8}, stage shuffle, kind full; it is files 3, records 12288, bytes "
                             r"\d+, crc32c \w{8}, stage shuffle, kind full; give the "
                             "job back what it began with, or begin another job\n")
            self.assertEqual(len(run.starts("coordinator")), 2, "it is tried once")

    def test_data_that_changes_under_a_member_that_is_started_again(self):
        spec, checkpoints = self.tally(), InFiles(self.folder / "run/checkpoints")
        with job.Run(self.folder, spec.manifest()) as run:
            run.expect(lambda: checkpoints.committed_step() > 0, 30, "it commits")
            self.add_a_file(spec.data)
            run.kill("worker", 1)
            self.assertRegex(run.finish(exit_code=1),
                             rf"UserError: {CHANGED}: worker 1 has files 3, .*; the coordinator has files 2, .*; give the job "
                             "back what it began with, or begin another job\n")

    def test_copies_of_the_data_are_the_same_data(self):
        spec, checkpoints = self.tally(epochs=40), InFiles(self.folder / "run/checkpoints")
        with job.Run(self.folder, spec.manifest()) as run:
            run.expect(lambda: checkpoints.committed_step() > 0, 30, "it commits")
            run.process.send_signal(signal.SIGINT)
            run.finish(exit_code=130)
        shutil.move(spec.data, self.folder / "moved")
        shutil.copytree(self.folder / "moved", spec.data, copy_function=shutil.copyfile)  # gives the files a new time
        with job.Run(self.folder, spec.manifest()) as run:
            run.finish()
        self.assertEqual(tally.problems({checkpoints.folder: spec}), [])

    def line(self, y: str = "1", strategy: str = "ParameterServer", data: object = None, folder: object = None, size: int = 1,
             batch: int = 10, rate: float = 1e-5) -> str:
        written = self.folder / "line.tfrecord"
        if not written.exists():
            tensorflow_program.run(WRITE_LINE, written, y)
        training = f"batch: {batch}, epochs: 100, optimizer: {{kind: SGD, learningRate: {rate}}}"
        return line.manifest(f"strategy: {strategy}", data or written, folder or self.folder / "out", training, 10, size)

    def run_and_fail(self, manifest: str, options: list[str] | None = None) -> str:
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        with job.Run(folder, manifest, options=options) as run:
            printed = run.finish(exit_code=1, timeout=30)
            self.assertLessEqual(max(start.incarnation for start in run.starts()), 1, f"it was tried again\n{printed}")
        return printed

    def test_training_that_diverges(self):
        for strategy in ["Single", "ParameterServer"]:
            printed = self.run_and_fail(self.line(strategy=strategy, rate=100, folder=self.folder / strategy))
            self.assertRegex(printed, "UserError: spec.training: .* so training has diverged; scale features and target to values "
                             "near 1, or set a smaller spec.training.optimizer.learningRate; `carrack data stats` shows their ranges, and "
                             "what is not finite\n")

    def test_a_record_that_is_not_finite(self):
        self.assertRegex(self.run_and_fail(self.line(y="nan")), r'UserError: spec.data: .*: record \d+ at byte \d+: feature "y" is not '
                         r"finite, and so is the loss of step \d+; mend the record, or leave out such records by the stage filter\n")

    def test_a_number_that_no_embedding_has(self):
        written = self.folder / "strange.tfrecord"
        records = '[{"class": [i % 3], "turns": [0, 5 if i != 70 else 6], "point": [0.0, 1.0]} for i in range(100)]'
        tensorflow_program.run(EXAMPLES + f"write(sys.argv[1], {records})", written)
        for strategy in job.SINGLE, job.parameter_server(2, 2):
            with self.subTest(strategy):
                layers, loss = networks.NETWORKS["numbers"]
                checkpoints = str(Path(tempfile.mkdtemp(dir=self.folder)) / "checkpoints")
                manifest = networks.manifest(written, checkpoints, layers, loss, strategy=strategy)
                self.assertRegex(self.run_and_fail(manifest),
                                 rf"UserError: {written}: record 70 at byte \d+: spec.model: a record has 6 as `turns`, but "
                                 "`two/embeddings` has rows 0 to 5\n")

    def test_places_that_cannot_be(self):
        file = self.folder / "file"
        file.touch()
        for fields, text, at_a_look in [
                ({"folder": file}, "cannot create it: Not a directory", f"{file} is a file; name a folder"),
                ({"folder": "/proc/none"}, "/proc/none: cannot make the folder: there can be none", None),
                ({"folder": "file://rel"}, "file://rel: a file URL has three slashes and no host", ""),
                ({"folder": self.folder / ("n" * 300)}, "File name too long", ""),
                ({"data": "gs://"}, "gs://: names no object; write gs://BUCKET/NAME", ""),
                ({"data": f"{self.folder}/*", "folder": self.folder}, "which the job itself writes to spec.checkpoint.folder", "")]:
            printed = self.run_and_fail(self.line(**fields), job.WITHOUT_LOOK)
            self.assertIn("UserError", printed)
            self.assertIn(text, printed)
            if at_a_look is not None:
                with job.Run(self.folder / "looked-at", self.line(**fields)) as run:
                    self.assertIn(at_a_look or text, run.finish(exit_code=2))

    def test_a_model_that_no_process_holds(self):
        self.assertRegex(self.run_and_fail(self.line(size=17179869184), job.WITHOUT_LOOK),
                         r"UserError: spec.model: a (worker|parameter server) takes at least \d{12} bytes of memory, and has ")

    def test_a_batch_of_more_records_than_there_are_takes_all(self):
        with job.Run(self.folder / "job", self.line(batch=2147483647)) as run:
            run.finish()
        self.assertEqual(InFiles(self.folder / "out").committed_step(), 100)


if __name__ == "__main__":
    unittest.main()
