"""Jobs that begin with the weights of another model: of a file that the safetensors library writes, of a checkpoint of
TensorFlow's, and of one of Carrack's. What is frozen is in the first checkpoint as it was in the file."""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import job
import networks
from checkpoints import InFiles
from interop import peers, tensorflow_program
from support import machine, object_store

SAFETENSORS = peers.python("safetensors")
machine.program("fake-gcs-server")  # skips this file if it is not built

# More than a block of parameters each, so that two servers share a tensor.
WIDE = """
    - {kind: Dense, name: wide, inputs: [point], units: 3000}
    - {kind: Dense, name: out, units: 3}
"""
LOSS = networks.NETWORKS["classes"][1]
SHAPES = {"wide/kernel": (2, 3000), "wide/bias": (3000,), "out/kernel": (3000, 3), "out/bias": (3,)}
ALL_BUT_ONE_FROZEN = ", groups: [{tensors: ['*/kernel', wide/bias], frozen: true}]"

# Writes the tensors as PyTorch would call and store them, and what they are here.
WRITE_SAFETENSORS = f"""
import sys
import numpy as np
from safetensors.numpy import save_file

random = np.random.default_rng(3)
ours = {{name: random.normal(0, 0.1, shape).astype(np.float32) for name, shape in {SHAPES}.items()}}
ours["wide/bias"] = ours["wide/bias"].astype(np.float16).astype(np.float32)
np.savez(sys.argv[2], **ours)
save_file({{"fc1.weight": np.ascontiguousarray(ours["wide/kernel"].T), "fc1.bias": ours["wide/bias"].astype(np.float16),
           "fc2.weight": np.ascontiguousarray(ours["out/kernel"].T).astype(np.float64), "out/bias": ours["out/bias"],
           "steps": np.array([7])}}, sys.argv[1], metadata={{"format": "pt"}})
"""
NAMES = """, names: [{tensor: wide/kernel, storedAs: fc1.weight, transposed: true}, {tensor: wide/bias, storedAs: fc1.bias},
      {tensor: out/kernel, storedAs: fc2.weight, transposed: true}]"""

WRITE_TENSORFLOW = f"""
import sys
import numpy as np
import tensorflow as tf

random = np.random.default_rng(4)
ours = {{name: random.normal(0, 0.1, shape).astype(np.float32) for name, shape in {SHAPES}.items()}}
np.savez(sys.argv[2], **ours)
model = tf.Module()
for name, value in ours.items():
    layer, tensor = name.split("/")
    if not hasattr(model, layer):
        setattr(model, layer, tf.Module())
    setattr(getattr(model, layer), tensor, tf.Variable(value))
tf.train.Checkpoint(wide=model.wide, out=model.out).write(sys.argv[1])
"""

# Compares the tensors of a checkpoint with the expected ones, bit by bit, and prints the names of those that differ.
COMPARE = """
import sys
import numpy as np
import tensorflow as tf

reader, expected = tf.train.load_checkpoint(sys.argv[1]), np.load(sys.argv[2])
print(*(name for name in expected if reader.get_tensor(name).tobytes() != expected[name].tobytes()))
"""


def python(program: str, *arguments: Path) -> None:
    subprocess.run([SAFETENSORS, "-c", program, *arguments], check=True)


class InitialWeights(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.data = self.folder / "points.tfrecord"
        tensorflow_program.write(networks.WRITE, self.data)
        self.weights, self.expected = self.folder / "weights.safetensors", self.folder / "expected.npz"

    def manifest(self, weights: str, layers: str = WIDE, more: str = ALL_BUT_ONE_FROZEN, **fields) -> str:
        fields = {"batch": networks.POINTS, "checkpoints": InFiles(self.folder / "checkpoints").url} | fields
        return networks.manifest(self.data, layers=layers, loss=LOSS, more=f"{more}, initialWeights: {{{weights}}}", **fields)

    def start(self, weights: str, options: list[str] | None = None, **fields) -> job.Run:
        return job.Run(self.folder, self.manifest(weights, **fields), options=options)

    def changed(self, step: int = 1) -> list[str]:
        """The tensors of that step's checkpoint that are not the expected ones."""
        prefix = networks.prefix_at(InFiles(self.folder / "checkpoints"), step)
        return tensorflow_program.run(COMPARE, prefix, self.expected).split()

    def forget(self) -> None:
        """Makes place for another job."""
        subprocess.run(["rm", "-rf", "run", "checkpoints", "starts"], cwd=self.folder, check=True)

    def test_are_those_of_a_safetensors_file(self):
        stored = self.folder / "5feceb66"  # as in the cache of Hugging Face
        python(WRITE_SAFETENSORS, self.weights, self.expected)
        self.weights.rename(stored)
        self.weights.symlink_to(stored)
        for strategy in job.SINGLE, job.parameter_server(2, 2):
            with self.subTest(strategy), self.start(f'from: "{self.weights}"{NAMES}', strategy=strategy) as run:
                run.finish()
                self.assertEqual(self.changed(), ["out/bias"], "all others are frozen")
            self.forget()

    def test_are_those_of_a_checkpoint_of_tensorflow(self):
        prefix = self.folder / "ckpt-5"
        tensorflow_program.run(WRITE_TENSORFLOW, prefix, self.expected)
        for strategy in job.SINGLE, job.parameter_server(2, 1):
            with self.subTest(strategy), self.start(f'from: "{prefix}"', strategy=strategy) as run:
                run.finish()
                self.assertEqual(self.changed(), ["out/bias"])
            self.forget()

    def test_are_read_from_a_bucket(self):
        python(WRITE_SAFETENSORS, self.weights, self.expected)
        with object_store.fake_gcs("bucket") as server:
            object_store.put(server, "bucket", "models/a.safetensors", self.weights.read_bytes())
            manifest = self.manifest(f"from: gs://bucket/models/a.safetensors{NAMES}", strategy=job.parameter_server(2, 1))
            with job.Run(self.folder, manifest, environment={"STORAGE_EMULATOR_HOST": server}) as run:
                run.finish()
                self.assertEqual(self.changed(), ["out/bias"])

    def test_are_those_of_another_job(self):
        """A job of other outputs begins with the layer that both have."""
        python(WRITE_SAFETENSORS, self.weights, self.expected)
        with self.start(f'from: "{self.weights}"{NAMES}', strategy=job.parameter_server(2, 1)) as run:
            run.finish()
        (self.folder / "checkpoints").rename(self.folder / "first")
        prefix = networks.prefix_at(InFiles(self.folder / "first"), 1)
        self.forget()
        other = WIDE.replace("units: 3}", "units: 4}")
        for place in prefix, f"{prefix}.manifest", self.folder / "first":
            with self.subTest(place):
                weights = f'from: "{place}", tensors: ["wide/*"]'
                with self.start(weights, layers=other, more=", groups: [{tensors: ['wide/*'], frozen: true}]",
                                strategy=job.parameter_server(2, 1)) as run:
                    run.finish()
                    prefix = networks.prefix_at(InFiles(self.folder / "checkpoints"), 1)
                    compare = COMPARE.replace("in expected if", "in ('wide/kernel', 'wide/bias') if")
                    self.assertEqual(tensorflow_program.run(compare, prefix, self.expected).split(), [])
                model = (Path(f"{prefix}.manifest")).read_text()
                self.assertNotIn("safetensors", model, "where a job reads is no part of the model")
            self.forget()

    def test_are_in_the_step_that_is_shown(self):
        python(WRITE_SAFETENSORS.replace("np.savez", 'ours["wide/bias"][:] = 0.375; np.savez'), self.weights, self.expected)
        (self.folder / "step.yaml").write_text(self.manifest(f'from: "{self.weights}"{NAMES}'))
        shown = subprocess.run([job.BIN / "carrack", "step", self.folder / "step.yaml"], capture_output=True, text=True, check=True)
        self.assertRegex(shown.stdout, r"wide/bias +\[3000\] +0\.375 +0\.375 +0\.375 ")

    def test_are_read_before_the_first_commit_only(self):
        python(WRITE_SAFETENSORS, self.weights, self.expected)
        checkpoints = InFiles(self.folder / "checkpoints")
        weights = f'from: "{self.weights}"{NAMES}'
        for strategy, roles in (job.SINGLE, ["worker"]), (job.parameter_server(2, 1), ["coordinator", "ps"]):
            with self.subTest(strategy), self.start(weights, strategy=strategy, batch=50, epochs=40, every_steps=5) as run:
                run.expect(lambda: checkpoints.committed_step() > 0, 60, "there is a commit")
                self.weights.rename(self.folder / "away")
                for role in roles:
                    run.kill(role)
                    run.expect(lambda: len(run.starts(role, 0)) == 2, 60, "it starts again")
                run.finish()
                self.assertEqual(self.changed(1200), ["out/bias"])
            (self.folder / "away").rename(self.weights)
            self.forget()

    def test_that_do_not_fit_are_refused_before_anything_is_trained(self):
        python(WRITE_SAFETENSORS, self.weights, self.expected)
        nan = self.folder / "nan.safetensors"
        python(WRITE_SAFETENSORS.replace("np.savez", 'ours["out/kernel"][2999, 2] = np.nan; np.savez'), nan, self.expected)
        field = "spec.training.initialWeights"
        missing = f"{field}.from: there is no {self.folder}/none.safetensors; name a .safetensors file, the checkpoint folder of a job, "
        with self.start(f'from: "{self.folder}/none.safetensors"') as run:
            self.assertIn(missing, run.finish(exit_code=2))
        for weights, message in [
                (f'from: "{self.folder}/none.safetensors"', missing + "or what the names of a checkpoint's files begin with"),
                (f'from: "{self.weights}"',
                 f'{field}: {self.weights} has no "wide/kernel" for wide/kernel [2,3000]; it has "fc1.weight" [3000,2], "fc2.'),
                (f'from: "{self.weights}", tensors: [wide/kernel], names: [{{tensor: wide/kernel, storedAs: fc1.weight}}]',
                 f'{field}: {self.weights} has "fc1.weight" as float32 [3000,2], and this job has wide/kernel [2,3000]; set '
                 "transposed: true for it in names"),
                (f'from: "{self.weights}", tensors: [out/bias], names: [{{tensor: out/bias, storedAs: steps}}]',
                 f'{field}: {self.weights} has "steps" as int64 [1]; what can be read is float32, float64, float16 and bfloat16'),
                (f'from: "{self.data}.safetensors"', f"{field}.from: {self.data}.safetensors: the header does not begin with {{"),
                (f'from: "{nan}"{NAMES}', f'{field}: {nan} has "fc2.weight" with NaN, infinity or a number beyond float32, so '
                 "out/kernel cannot begin with it")]:
            shutil.copyfile(self.data, f"{self.data}.safetensors")
            with self.subTest(message), self.start(weights, job.WITHOUT_LOOK, strategy=job.parameter_server(2, 1)) as run:
                printed = run.finish(exit_code=1)
                self.assertRegex(printed, "UserError: (ps-[01]: )?" + re.escape(message))
                self.assertEqual((self.folder / "checkpoints/HEAD.1").exists(), "NaN" in message, "what is refused claims nothing")
            self.forget()

    def test_of_a_job_that_resumes_are_refused(self):
        manifest = self.manifest(f'from: "{self.weights}"').replace("keepLast", "resume: other, keepLast")
        with job.Run(self.folder, manifest) as run:
            self.assertIn("spec.training.initialWeights: a job that resumes another one has its weights; leave out this or "
                          "spec.checkpoint.resume (line ", run.finish(exit_code=2))


if __name__ == "__main__":
    unittest.main()
