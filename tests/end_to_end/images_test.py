"""Jobs on encoded images: the weights equal, bit by bit, those of a job on the pixels that TensorFlow decodes, and random
crops are drawn again after a kill."""

import json
import tempfile
import unittest
from pathlib import Path

import job
from checkpoints import InFiles
from interop import tensorflow_program
from interop.tensorflow_program import EXAMPLES

HEIGHT, WIDTH, EPOCHS, EVERY_STEPS = 4, 6, 40, 50

# Writes JPEGs and PNGs of all sizes, and the same images as numbers.
WRITE = EXAMPLES + """
import numpy as np

random = np.random.default_rng(7)
height, width = int(sys.argv[3]), int(sys.argv[4])

def picture():
    smooth = tf.image.resize(random.uniform(0, 255, (4, 5, 3)), random.integers(20, 60, 2))
    return tf.cast(tf.clip_by_value(smooth, 0, 255), tf.uint8)

encoded = [(tf.io.encode_png if i % 3 == 0 else tf.io.encode_jpeg)(picture()).numpy() for i in range(300)]
pixels = [tf.image.resize(tf.io.decode_image(image, channels=3), (height, width)).numpy() for image in encoded]
ys = [float(pixel.mean()) / 255 for pixel in pixels]
write(sys.argv[1], ({"image": [image], "y": [y]} for image, y in zip(encoded, ys)))
write(sys.argv[2], ({"image": pixel.flatten().tolist(), "y": [y]} for pixel, y in zip(pixels, ys)))
"""

READ = """
import json, sys
import tensorflow as tf
found = [tf.train.load_checkpoint(prefix) for prefix in sys.argv[1:]]
print(json.dumps([one.get_tensor("w").tolist() + one.get_tensor("b").tolist() for one in found]))
"""

MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: images}}
spec:
  {strategy}
  model: {{kind: LinearRegression, input: image, target: "y"}}
  data:
    train: {{files: [{data}], stages: {stages}}}
    features: {{image: {{type: float32, {image}}}, "y": {{type: float32}}}}
  training: {{batch: 20, epochs: {epochs}, optimizer: {{kind: Adam, learningRate: 0.001}}, deterministic: true}}
  checkpoint: {{folder: {checkpoints}, everySteps: {every_steps}}}
"""

STORED = f"size: {HEIGHT * WIDTH * 3}"
DECODED = f"image: {{height: {HEIGHT}, width: {WIDTH}}}"
DRAWN = f"image: {{height: {HEIGHT}, width: {WIDTH}, crop: {{kind: Random}}, mirror: true}}"


class Images(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.images, cls.pixels = cls.folder / "images.tfrecord", cls.folder / "pixels.tfrecord"
        tensorflow_program.run(WRITE, cls.images, cls.pixels, str(HEIGHT), str(WIDTH))

    def train(self, name: str, data: Path, image: str, workers: int = 0, kills: int = 0,
                stages: str = "[shuffle: {}]") -> Path:
        """Runs the job, as one process if `workers` is 0. Returns the prefix of its last checkpoint."""
        checkpoints = InFiles(self.folder / name / "checkpoints")
        strategy = job.parameter_server(1, workers) if workers else job.SINGLE
        manifest = MANIFEST.format(strategy=strategy, data=data, image=image, epochs=EPOCHS, every_steps=EVERY_STEPS,
                                   checkpoints=checkpoints.url, stages=stages)
        with job.Run(checkpoints.folder.parent, manifest) as run:
            run.kill_in_turn(["worker"] * kills, checkpoints)
            run.finish()
            self.assertEqual(len(run.starts("worker")), max(workers, 1) + kills)
        [manifest_file] = checkpoints.last("manifest")
        return manifest_file.with_suffix("")

    def test_have_the_weights_of_their_pixels(self):
        decoded = self.train("decoded", self.images, DECODED)
        stored = self.train("stored", self.pixels, STORED)
        first, second = json.loads(tensorflow_program.run(READ, decoded, stored))
        self.assertEqual(len(first), HEIGHT * WIDTH * 3 + 1)
        self.assertEqual(first, second)

    def test_are_drawn_again_after_a_kill_by_any_number_of_workers_behind_a_cache_too(self):
        undisturbed = self.train("undisturbed", self.images, DRAWN)
        killed = self.train("killed", self.images, DRAWN, workers=2, kills=1, stages="[cache: {memory: 16Mi}, shuffle: {}]")
        whole = self.train("whole", self.images, DECODED)
        first, second, third = json.loads(tensorflow_program.run(READ, undisturbed, killed, whole))
        self.assertEqual(first, second)
        self.assertNotEqual(first, third)


if __name__ == "__main__":
    unittest.main()
