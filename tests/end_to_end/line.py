"""The line job: a linear regression of y on x, the smallest job that trains a model."""

from pathlib import Path

from interop import tensorflow_program
from interop.tensorflow_program import EXAMPLES

FILES = 5  # of write_line()
SLOPE, INTERCEPT = 3, -2

WRITE = EXAMPLES + f"""
import numpy as np
xs = np.random.default_rng(7).uniform(-1, 1, 2000).reshape({FILES}, -1)
for file, values in enumerate(xs):
    write(f"{{sys.argv[1]}}/line-{{file}}", ({{"x": [float(x)], "y": [{SLOPE} * float(x) + {INTERCEPT}]}} for x in values))
"""

MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: line}}
spec:
  {strategy}
  model: {{kind: LinearRegression, input: x, target: "y"}}
  data: {{train: {{files: ["{files}"]}}, features: {{x: {{type: float32, size: {size}}}, "y": {{type: float32}}}}}}
  training: {{{training}}}
  checkpoint: {{folder: "{checkpoints}", everySteps: {every_steps}}}
"""


def write_line(folder: Path) -> None:
    """The files line-0 and so on, with 2,000 points on the line in all."""
    folder.mkdir(exist_ok=True)
    tensorflow_program.write(WRITE, folder)


def manifest(strategy: str, files: object, checkpoints: object, training: str, every_steps: int = 100, size: int = 1) -> str:
    """`files`, `training` and `checkpoints` as in a manifest; x has `size` values."""
    return MANIFEST.format(strategy=strategy, files=files, checkpoints=checkpoints, training=training, every_steps=every_steps,
                           size=size)
