"""Jobs with caches at any place among the stages: although a worker and then all processes are killed in the middle of an epoch
and lose their caches, the tally at every commit is that of an undisturbed job. TensorFlow writes the records and reads the
tallies."""

import json
import tempfile
import unittest
from pathlib import Path

import job
from checkpoints import InFiles
from interop import tensorflow_program
from tally import write_two_sets

SMALL, LARGE, EPOCHS = 1024, 3072, 12

READ = """
import glob, json, sys
import tensorflow as tf
prefixes = [manifest.removesuffix(".manifest") for manifest in glob.glob(sys.argv[1] + "/*.manifest")]
print(json.dumps({prefix: tf.train.load_checkpoint(prefix).get_tensor("tally").tolist() for prefix in prefixes}))
"""

# Only the last commit is at the end of an epoch, so a job always continues in the middle of one.
BATCH, EVERY_STEPS = 32, 50

MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: cache}}
spec:
  {members}
  model: {{kind: Tally, record: id, records: {records}}}
  data: {{train: {{{train}}}, features: {{id: {{type: int64}}}}}}
  training: {{batch: {batch}, epochs: {epochs}, reduction: Sum, optimizer: {{kind: SGD, learningRate: 1}}}}
  checkpoint: {{folder: "{checkpoints}", everySteps: {every_steps}, keepLast: 1000000}}
"""

CACHE = "cache: {memory: 64Mi}"


class Caches(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.data = cls.folder / "data"
        write_two_sets(cls.data, SMALL, LARGE)

    def tallies(self, name: str, train: str, killed: bool) -> dict[int, list[float]]:
        """The tallies by committed step."""
        checkpoints = InFiles(self.folder / name / "checkpoints")
        manifest = MANIFEST.format(members=job.parameter_server(1, 2), records=SMALL + LARGE, train=train, batch=BATCH,
                                   epochs=EPOCHS, checkpoints=checkpoints.url, every_steps=EVERY_STEPS)
        if killed:
            with job.Run(checkpoints.folder.parent, manifest) as run:
                run.kill_in_turn(["worker"], checkpoints)
                run.expect(lambda: len(run.starts("worker", 0)) == 2, 30, "the worker is started again")
                before = checkpoints.committed_step()
                run.expect(lambda: run.has_work_to_lose(checkpoints, before), 60, "killing all loses work")
                run.kill_all()
        with job.Run(checkpoints.folder.parent, manifest) as run:
            run.finish()
            self.assertEqual(len(run.starts("worker")), 5 if killed else 2)
        tallies = json.loads(tensorflow_program.run(READ, checkpoints.folder))
        return {int(Path(prefix).name.split("-")[1]): tally for prefix, tally in tallies.items()}

    def last_tally(self, name: str, train: str) -> list[float]:
        undisturbed = self.tallies(f"{name}-undisturbed", train, False)
        killed = self.tallies(f"{name}-killed", train, True)
        self.assertEqual([step for step in killed if killed[step] != undisturbed[step]], [])
        self.assertEqual(max(killed), max(undisturbed))
        return killed[max(killed)]

    def test_of_files_as_they_lie(self):
        tally = self.last_tally("as-they-lie", f'files: ["{self.data}/*"], stages: [{CACHE}]')
        self.assertEqual(tally, [EPOCHS] * (SMALL + LARGE))

    def test_before_a_shuffle_and_behind_one(self):
        for kind, stages_after in [("Full", ", shuffle: {kind: Block, block: 16, window: 4}"),
                                   ("Block, block: 16, window: 4", "")]:
            stages = f"[shuffle: {{kind: {kind}}}, {CACHE}{stages_after}]"
            tally = self.last_tally(f"shuffles-{kind[:4]}", f'files: ["{self.data}/*"], stages: {stages}')
            self.assertEqual(tally, [EPOCHS] * (SMALL + LARGE))

    def test_behind_a_filter(self):
        stages = f'[filter: {{feature: id, min: 1000}}, snapshot: {{folder: "{self.folder}/prepared"}}, {CACHE}, shuffle: {{}}]'
        tally = self.last_tally("filter", f'files: ["{self.data}/*"], stages: {stages}')
        self.assertEqual(tally, [0] * 1000 + [EPOCHS] * (SMALL + LARGE - 1000))

    def test_of_a_set_that_is_mixed_and_of_the_mix(self):
        small = f'{{files: ["{self.data}/small"], weight: 1, stages: [shuffle: {{}}, {CACHE}]}}'
        large = f'{{files: ["{self.data}/large-*"], weight: 2, stages: [{CACHE}, shuffle: {{}}]}}'
        tally = self.last_tally("mix", f"mix: [{small}, {large}], stages: [take: 3000, {CACHE}]")
        # The mix caches its first epoch, so every epoch has the same records.
        self.assertEqual(sorted(set(tally)), [0, EPOCHS])
        self.assertEqual(sum(tally), 3000 * EPOCHS)


if __name__ == "__main__":
    unittest.main()
