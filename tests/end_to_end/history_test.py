"""A job records losses, speed and evaluations in its checkpoint folder, also over restarts. The real TensorBoard reads the event
files."""

import json
import re
import signal
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import job
import networks
from checkpoints import InFiles
from interop import peers, tensorflow_program

# Prints the scalars of all event files in a folder: {tag: [[step, value], ...]}.
READS = """
import json, sys
from tensorboard.backend.event_processing import event_accumulator
found = event_accumulator.EventAccumulator(sys.argv[1], size_guidance={event_accumulator.SCALARS: 0})
found.Reload()
print(json.dumps({tag: [[one.step, one.value] for one in found.Scalars(tag)] for tag in found.Tags()["scalars"]}))
"""
STEPS_IN_EPOCH = networks.POINTS // networks.BATCH


class History(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.data = self.folder / "train.tfrecord"
        tensorflow_program.write(networks.WRITE, self.data)
        self.checkpoints = InFiles(self.folder / "checkpoints")

    def start(self, epochs: int, **fields) -> job.Run:
        layers, loss = networks.NETWORKS["classes"]
        fields = {"optimizer": "kind: Adam, learningRate: 0.01", "every_steps": 100, "keep_last": 1,
                  "evaluation": f'\n    eval: {{files: ["{self.data}"]}}'} | fields
        return job.Run(self.folder, networks.manifest(self.data, self.checkpoints.url, layers, loss, epochs=epochs, **fields))

    def points(self) -> list[dict]:
        return [json.loads(line) for line in (self.checkpoints.folder / "metrics.jsonl").read_text().splitlines()]

    def training(self, steps: int) -> list[dict]:
        """The points of training, after what holds for all of them."""
        points = [point for point in self.points() if "loss" in point]
        recorded = [point["step"] for point in points]
        self.assertEqual(recorded, sorted(set(recorded)))
        self.assertEqual(recorded[-1], steps)
        for point in points:
            self.assertEqual(point["epoch"], (point["step"] - 1) // STEPS_IN_EPOCH)
            self.assertGreater(point["records_per_second"], 0)
        self.assertGreater(points[0]["loss"], points[-1]["loss"])
        return points

    def on_tensorboard(self) -> dict[str, list[list[float]]]:
        command = [peers.python("tensorboard"), "-c", READS, self.checkpoints.folder / "tensorboard"]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    def test_has_losses_and_evaluations_which_tensorboard_reads(self):
        for strategy in job.SINGLE, job.parameter_server(2, 2):
            with self.subTest(strategy), self.start(30, strategy=strategy) as run:
                run.finish()
                steps = 30 * STEPS_IN_EPOCH
                points = self.training(steps)
                evaluations = [point for point in self.points() if "evaluation" in point]
                self.assertEqual(evaluations[-1]["step"], steps)
                self.assertEqual(set(evaluations[-1]["evaluation"]), {"loss", "accuracy", "records"})
                for point in evaluations:
                    self.assertIn(f"step {point['step']} evaluated: loss {point['evaluation']['loss']:.6g}, ", run.logs())
                # Nearly the same: the model was another one for each of the last steps.
                self.assertAlmostEqual(points[-1]["loss"], evaluations[-1]["evaluation"]["loss"], delta=0.2 * points[0]["loss"])
                shown = self.on_tensorboard()
                self.assertEqual(shown["loss"], [[point["step"], single(point["loss"])] for point in points])
                self.assertEqual(shown["evaluation/accuracy"],
                                 [[point["step"], single(point["evaluation"]["accuracy"])] for point in evaluations])
                drawn = subprocess.run([job.BIN / "carrack", "plot", self.checkpoints.folder], capture_output=True, text=True, check=True)
                self.assertIn(f" at step {steps}\n", drawn.stdout)
            subprocess.run(["rm", "-r", self.folder / "run", self.checkpoints.folder], check=True)

    def test_the_first_loss_is_that_of_the_first_step(self):
        with self.start(1) as run:
            run.finish()
        printed = subprocess.run([job.BIN / "carrack", "step", self.folder / "job.yaml", "--records", str(networks.BATCH)],
                                 capture_output=True, text=True, check=True).stdout
        first = self.points()[0]
        self.assertEqual(first["step"], 1)
        self.assertAlmostEqual(first["loss"], float(re.search(r"\nloss (\S+),", printed)[1]), places=3)

    def test_goes_on_over_restarts(self):
        epochs = 2000
        with self.start(epochs) as run:
            run.expect(lambda: self.checkpoints.committed_step() >= 2000, 60, "it trains")
            run.process.send_signal(signal.SIGINT)
            run.finish(exit_code=130)
        between = self.checkpoints.committed_step()
        before = self.points()
        with self.start(epochs) as run:
            run.finish()
        points = self.training(epochs * STEPS_IN_EPOCH)
        self.assertEqual(self.points()[:len(before)], before, "suspending loses nothing")
        self.assertLess(before[-1]["step"], between + 1)
        self.assertLess(len(points), 800)
        self.assertEqual([step for step, _ in self.on_tensorboard()["loss"]], [point["step"] for point in points])

    def test_goes_on_when_the_coordinator_is_killed(self):
        with self.start(600, strategy=job.parameter_server(1, 1)) as run:
            run.expect(lambda: (self.checkpoints.folder / "metrics.jsonl").exists(), 60, "it writes")
            run.kill_in_turn(["coordinator"], self.checkpoints)
            run.finish()
            self.assertEqual(len(run.starts("coordinator")), 2)
        self.training(600 * STEPS_IN_EPOCH)

    def test_what_cannot_be_read_or_written_is_logged_and_training_goes_on(self):
        self.checkpoints.folder.mkdir()
        damaged = self.checkpoints.folder / "metrics.jsonl"
        damaged.write_text('{"step": 1\n{"step":2}\n')
        with self.start(4) as run:
            run.finish()
            self.assertIn(f"the history of the job is not recorded: {damaged}: line 1: ", run.logs())
        self.assertEqual(damaged.read_text(), '{"step": 1\n{"step":2}\n')
        subprocess.run(["rm", "-r", self.folder / "run", self.checkpoints.folder], check=True)
        self.checkpoints.folder.mkdir()
        (self.checkpoints.folder / "tensorboard").write_text("a file, where a folder belongs")
        with self.start(4) as run:
            run.finish()
            self.assertEqual(run.logs().count("the history of the job is not written: "), 1)
        self.training(4 * STEPS_IN_EPOCH)


def single(value: float) -> float:
    return struct.unpack("f", struct.pack("f", value))[0]


if __name__ == "__main__":
    unittest.main()
