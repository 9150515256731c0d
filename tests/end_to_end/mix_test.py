"""Tallies of mixed sets of files: each record is used as often as the weight of its set says, also through kills.
TensorFlow writes the records and reads the tallies."""

import json
import tempfile
import unittest
from pathlib import Path

import job
from checkpoints import InFiles
from interop import tensorflow_program
from tally import write_two_sets

SMALL, LARGE, EPOCHS = 1024, 3072, 6

READ = """
import json, sys
import tensorflow as tf
print(json.dumps(tf.train.load_checkpoint(sys.argv[1]).get_tensor("tally").tolist()))
"""

MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: mix}}
spec:
  {members}
  model: {{kind: Tally, record: id, records: {records}}}
  data:
    train:
      mix:
      - {{files: [{data}/small], weight: 1{small}}}
      - {{files: ["{data}/large-*"], weight: {weight}}}
    features: {{id: {{type: int64}}}}
  training: {{batch: 32, epochs: {epochs}, reduction: Sum, optimizer: {{kind: SGD, learningRate: 1}}}}
  checkpoint: {{folder: {checkpoints}, everySteps: 40, resume: "{resume}"}}
"""


class Mix(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        write_two_sets(cls.folder, SMALL, LARGE)

    def manifest(self, name: str, weight: int, small: str = "", resume: str = "", epochs: int = EPOCHS) -> str:
        return MANIFEST.format(members=job.parameter_server(1, 2), records=SMALL + LARGE, data=self.folder, weight=weight,
                               small=small, checkpoints=self.folder / name / "checkpoints", resume=resume, epochs=epochs)

    def tally(self, name: str, weight: int, kills: list[str], small: str = "", resume: str = "",
              epochs: int = EPOCHS) -> list[float]:
        checkpoints = InFiles(self.folder / name / "checkpoints")
        with job.Run(checkpoints.folder.parent, self.manifest(name, weight, small, resume, epochs)) as run:
            run.kill_in_turn(kills, checkpoints)
            run.finish()
        [last] = checkpoints.last("manifest")
        return json.loads(tensorflow_program.run(READ, last.with_suffix("")))

    def test_uses_every_record_where_weights_are_as_sizes(self):
        self.assertEqual(self.tally("as-sizes", 3, ["worker", "coordinator", "ps"]), [EPOCHS] * (SMALL + LARGE))

    def test_ends_an_epoch_with_the_first_set_that_has_none_left(self):
        tally = self.tally("even", 1, ["worker"])
        small, large = tally[:SMALL], tally[SMALL:]
        self.assertEqual(small, [EPOCHS] * SMALL)
        self.assertAlmostEqual(sum(large), EPOCHS * SMALL, delta=EPOCHS)
        self.assertGreater(sum(count > 0 for count in large), LARGE * 0.8, "others in each epoch")

    def test_repeats_a_set(self):
        tally = self.tally("repeated", 1, [], ", stages: [shuffle: {}, repeat: 3]")
        self.assertEqual(tally, [3 * EPOCHS] * SMALL + [EPOCHS] * LARGE)

    def test_goes_on_with_the_same_mix_alone(self):
        first = self.tally("first", 3, [], epochs=1)
        self.assertEqual(first, [1] * (SMALL + LARGE))
        resume = str(self.folder / "first" / "checkpoints")
        self.assertEqual(self.tally("second", 3, [], resume=resume, epochs=2), [2] * (SMALL + LARGE))
        with job.Run(self.folder / "other", self.manifest("other", 2, resume=resume)) as run:
            printed = run.finish(exit_code=1)
        self.assertIn(f"spec.checkpoint.resume: {resume} was trained on mix 2, weight 1, files 1, records {SMALL}, ", printed)


if __name__ == "__main__":
    unittest.main()
