"""A job with spec.data.eval evaluates its checkpoints while it trains, as `carrack predict` would, and keeps the best one.
TensorFlow writes the records."""

import json
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import job
import networks
from checkpoints import InFiles, step_of
from interop import tensorflow_program
from support import tfrecord

# What is `half` of a point becomes its opposite, so what learns halves gets worse and worse.
OPPOSITE = networks.WRITE.replace("float(r > 0.55)", "float(r <= 0.55)")
OTHER_POINTS = networks.WRITE.replace("default_rng(5)", "default_rng(6)")
UNKNOWN_CLASS = networks.WRITE.replace("[int(c)],", "[int(c) + 7],")
NOT_A_NUMBER = networks.WRITE.replace("[float(r * np.sin(a)),", "[float('nan'),")
WITHOUT_CLASS = networks.WRITE.replace('"class"', '"klass"')

EVALUATED = re.compile(r"step (\d+) evaluated: (loss (\S+?),? .*)")
LAST = 120  # steps


def carrack(*arguments: object) -> str:
    return subprocess.run([job.BIN / "carrack", *map(str, arguments)], capture_output=True, text=True, timeout=60, check=True).stdout


class Evaluation(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.data = self.written(networks.WRITE, "train")
        self.checkpoints = InFiles(self.folder / "checkpoints")

    def written(self, program: str, name: str) -> Path:
        path = self.folder / f"{name}.tfrecord"
        tensorflow_program.run(program, path)
        return path

    def start(self, files: list[Path], network: tuple[str, str] = networks.NETWORKS["classes"], point: job.Point | None = None,
              options: list[str] | None = None, **fields) -> job.Run:
        listed = ", ".join(f'"{file}"' for file in files)
        layers, loss = network
        fields = {"optimizer": "kind: Adam, learningRate: 0.01", "epochs": 4, "every_steps": 10} | fields
        manifest = networks.manifest(self.data, self.checkpoints.url, layers, loss,
                                     evaluation=f"\n    eval: {{files: [{listed}]}}", **fields)
        return job.Run(self.folder, manifest, point, options=options)

    def evaluations(self, run: job.Run) -> dict[int, tuple[str, float]]:
        """By step: what the log says, and the loss."""
        found = {int(step): (text.removesuffix(", the lowest loss"), float(loss))
                 for step, text, loss in EVALUATED.findall(run.logs())}
        self.assertIn(LAST, found, "the last checkpoint")
        return found

    def status(self) -> dict:
        return json.loads((self.folder / "run/job.json").read_text())["status"]

    def best(self) -> tuple[str, float]:
        """The manifest and the loss of the best checkpoint, as BEST has them."""
        text = (self.checkpoints.folder / "BEST").read_text()
        return re.search(r"^manifest (\S+) ", text, re.M)[1], float(re.search(r"^loss (\S+)$", text, re.M)[1])

    def test_says_what_predict_says_of_the_same_checkpoint(self):
        held_out = self.written(OTHER_POINTS, "held_out")
        for strategy in job.SINGLE, job.parameter_server(2, 2):
            with self.subTest(strategy), self.start([held_out], strategy=strategy) as run:
                printed = run.finish()
                evaluations = self.evaluations(run)
                for step, (text, _) in evaluations.items():
                    prefix = networks.prefix_at(self.checkpoints, step)
                    self.assertEqual(carrack("predict", prefix, held_out, "--metrics"), f"1,500 records: {text}\n")
                best, loss = self.best()
                self.assertEqual((step_of(best), f"{loss:.6g}"),
                                 min(((step, f"{one:.6g}") for step, (_, one) in evaluations.items()), key=lambda one: float(one[1])))
                status = self.status()
                self.assertEqual(status["bestCheckpoint"], {"step": step_of(best), "name": best, "loss": loss})
                self.assertEqual(status["evaluation"]["step"], LAST)
                self.assertEqual(set(status["evaluation"]), {"step", "loss", "accuracy"})
                self.assertIn(f"evaluated: loss {status['evaluation']['loss']:.4g}, accuracy ", printed)
                of_best = carrack("predict", self.checkpoints.folder / "BEST", held_out)
                self.assertEqual(of_best, carrack("predict", self.checkpoints.folder / best, held_out))
                self.assertRegex(carrack("checkpoint", "list", self.checkpoints.folder), rf"{best}  \((last, )?best\)\n")
                carrack("checkpoint", "verify", self.checkpoints.folder / "BEST")
                carrack("export", self.checkpoints.folder / "BEST", "--to", self.folder / "model")
            for kept in self.folder / "run", self.checkpoints.folder, self.folder / "model":
                subprocess.run(["rm", "-r", kept], check=True)

    def test_the_best_checkpoint_is_not_removed(self):
        with self.start([self.written(OPPOSITE, "opposite")], networks.NETWORKS["halves"], keep_last=1) as run:
            run.finish()
            self.assertIn(LAST, self.evaluations(run))
        best, loss = self.best()
        self.assertLess(step_of(best), LAST / 2)
        kept = {name for name in self.checkpoints.names() if name.endswith(".manifest")}
        self.assertEqual({step_of(name) for name in kept}, {step_of(best), LAST})
        self.assertIn(f"loss {loss:.6g}", carrack("predict", self.checkpoints.folder / "BEST", self.folder / "opposite.tfrecord", "--metrics"))

    def test_data_that_cannot_be_used_is_refused_before_anything_is_trained(self):
        empty = self.folder / "empty.tfrecord"
        empty.touch()
        missing = self.folder / "missing-*.tfrecord"
        without = self.written(WITHOUT_CLASS, "without")
        for files, message in [([missing], f"spec.data.eval.files[0]: no file matches {missing} "),
                               ([empty], "spec.data.eval.files: the files hold no record "),
                               ([without], f"spec.data.features.class: {without}: record 0 has no such feature; it has "),
                               ([self.checkpoints.folder / "*"], "matches HEAD, which the job itself writes to spec.checkpoint.folder")]:
            with self.subTest(message), self.start(files) as run:
                self.assertIn(message, run.finish(exit_code=2))
        for files, message in [([missing], f"spec.data.eval: no file matches {re.escape(str(missing))}"),
                               ([empty], "spec.data.eval: there are no records"),
                               ([without],
                                f'spec.data.eval: .*{self.folder}/without.tfrecord: record 0.*there is no feature "class"'),
                               ([self.checkpoints.folder / "*"],
                                r"spec\.data\.eval\.files: .* matches HEAD, which the job itself writes to spec\.checkpoint\.folder")]:
            with self.subTest(message), self.start(files, options=job.WITHOUT_LOOK) as run:
                self.assertRegex(run.finish(exit_code=1), f"UserError: {message}")
                self.assertFalse((self.checkpoints.folder / "HEAD.1").exists())

    def test_what_cannot_be_evaluated_is_logged_and_training_goes_on(self):
        with self.start([self.data, self.written(UNKNOWN_CLASS, "unknown")]) as run:
            run.finish()
            self.assertRegex(run.logs(), rf"step {LAST} is not evaluated: \S*unknown\.tfrecord: record 0: .*class.*; training goes on")
        self.assertEqual(self.checkpoints.committed_step(), LAST)
        self.assertFalse((self.checkpoints.folder / "BEST").exists())
        self.assertNotIn("evaluation", self.status())

    def test_a_loss_that_is_not_finite_is_shown_and_counts_for_nothing(self):
        with self.start([self.written(NOT_A_NUMBER, "nan")], more=", patience: 2") as run:
            self.assertIn(", evaluated: loss nan or inf", run.finish())
            self.assertRegex(run.logs(), rf"step {LAST} evaluated: loss nan, ")
            self.assertNotIn("ends early", run.logs())
        self.assertEqual(self.checkpoints.committed_step(), LAST)
        self.assertFalse((self.checkpoints.folder / "BEST").exists())
        points = map(json.loads, (self.checkpoints.folder / "metrics.jsonl").read_text().splitlines())
        self.assertEqual([point["evaluation"]["loss"] for point in points if "evaluation" in point][-1], None)

    def test_a_best_that_cannot_be_used_is_ignored(self):
        held_out = self.written(OTHER_POINTS, "held_out")
        gone = "carrack best 1\nmanifest checkpoint-7-0-1-1.manifest 00000000\nloss -1\n"
        sealed = f"{gone}crc32c {tfrecord.crc32c(gone.encode()):08x}\n"
        for bytes_there, why in ("damaged", "carrack best: "), (sealed, "checkpoint-7-0-1-1.manifest"):
            self.checkpoints.folder.mkdir()
            (self.checkpoints.folder / "BEST").write_text(bytes_there)
            with self.subTest(why), self.start([held_out]) as run:
                run.finish()
                self.assertRegex(run.logs(), rf"the best checkpoint so far is ignored: \S+(/BEST: )?{why}")
                self.assertEqual(self.status()["bestCheckpoint"]["step"], step_of(self.best()[0]))
            for kept in self.folder / "run", self.checkpoints.folder:
                subprocess.run(["rm", "-r", kept], check=True)

    def test_a_coordinator_that_is_killed_while_it_writes_best_goes_on(self):
        held_out = self.written(OTHER_POINTS, "held_out")
        for side in "before", "after":
            point = job.Point(f"folder.write_best.{side}", "coordinator")
            with self.subTest(side), self.start([held_out], strategy=job.parameter_server(1, 1), point=point, epochs=40) as run:
                run.expect(lambda: (self.checkpoints.folder / "BEST").exists(), 60, "a checkpoint is the best")
                run.arm()
                stopped = lambda: [one for one in run.starts("coordinator") if job.state_of(one) == "T"]
                run.expect(lambda: bool(stopped()), 60, "it writes BEST")
                run.disarm()
                os.kill(stopped()[0].pid, signal.SIGKILL)
                run.finish()
                self.assertEqual(len(run.starts("coordinator")), 2)
            best, loss = self.best()
            self.assertIn(f"loss {loss:.6g},", carrack("predict", self.checkpoints.folder / best, held_out, "--metrics"))
            points = map(json.loads, (self.checkpoints.folder / "metrics.jsonl").read_text().splitlines())
            of_best = [point for point in points if "evaluation" in point and point["step"] == step_of(best)]
            self.assertEqual([point.get("best") for point in of_best], [True] * len(of_best), "also when it is evaluated again")
            for kept in self.folder / "run", self.checkpoints.folder, self.folder / "starts":
                subprocess.run(["rm", "-r", kept], check=True)

    def test_a_job_whose_evaluations_get_worse_ends_early(self):
        opposite = self.written(OPPOSITE, "opposite")
        point = job.Point("coordinator.stop_early.{}", "coordinator")
        for strategy, kill, consistency in [(job.SINGLE, None, "Sync"), (job.parameter_server(2, 2), None, "Sync"),
                                            (job.parameter_server(1, 2), None, "Async"), (job.parameter_server(1, 1), "before", "Sync"),
                                            (job.parameter_server(2, 1), "after", "Sync")]:
            at = point._replace(name=point.name.format(kill)) if kill else None
            with self.subTest(f"{strategy} {kill} {consistency}"), \
                    self.start([opposite], networks.NETWORKS["halves"], at, strategy=strategy, epochs=10_000,
                               more=f", patience: 3, consistency: {consistency}") as run:
                if kill:
                    run.arm()
                    stopped = lambda: [one for one in run.starts("coordinator") if job.state_of(one) == "T"]
                    run.expect(lambda: bool(stopped()), 60, "it stops early")
                    run.disarm()
                    os.kill(stopped()[0].pid, signal.SIGKILL)
                run.finish()
                ends = re.findall(r"the job ends early: 3 evaluations since the best one, of step (\d+)\n", run.logs())
                status = self.status()
                self.assertEqual(int(ends[-1]), status["bestCheckpoint"]["step"])
                self.assertLess(status["bestCheckpoint"]["step"], status["lastCheckpoint"]["step"])
                self.assertEqual(status["progress"]["step"], status["progress"]["steps"])
                self.assertEqual(self.checkpoints.committed_step(), status["progress"]["step"])
                self.assertLess(status["progress"]["step"], 300_000)
            for kept in self.folder / "run", self.checkpoints.folder, self.folder / "starts":
                subprocess.run(["rm", "-r", kept], check=True)

    def test_the_job_ends_after_its_last_evaluation_but_stops_when_it_is_told_to(self):
        large = self.folder / "large.tfrecord"
        large.write_bytes(self.data.read_bytes() * 200)
        with self.start([large], epochs=1, every_steps=1000) as run:
            run.finish()
            self.assertIn("step 30 evaluated: ", run.logs())
        self.assertEqual((self.status()["evaluation"]["step"], self.status()["bestCheckpoint"]["step"]), (30, 30))
        subprocess.run(["rm", "-r", self.folder / "run", self.checkpoints.folder], check=True)
        slow = networks.NETWORKS["windows"][0].replace("units: 6", "units: 1000"), networks.NETWORKS["windows"][1]
        with self.start([large], slow, epochs=1, every_steps=1000) as run:
            run.expect(lambda: self.checkpoints.committed_step() == 30, 60, "all is trained")
            run.process.send_signal(signal.SIGINT)
            began = time.monotonic()
            run.finish(exit_code=130)
            self.assertLess(time.monotonic() - began, 10)
            self.assertNotIn("step 30 evaluated: ", run.logs())


if __name__ == "__main__":
    unittest.main()
