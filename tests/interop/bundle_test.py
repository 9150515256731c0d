"""Checkpoint bundles in both directions: TensorFlow reads ours, we read TensorFlow's, and the digests of the values agree."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from interop import tensorflow_program
from interop.tensorflow_program import DIGEST

TOOL = Path(os.environ["CARRACK_BUILD"]) / "bin" / "bundle-tool"

READS_OURS = """
for folder in sorted(os.listdir(sys.argv[1])):
    prefix = os.path.join(sys.argv[1], folder, "ours")
    reader = tf.train.load_checkpoint(prefix)
    for name, shape in tf.train.list_variables(prefix):
        tensor = reader.get_tensor(name)
        expected = np.arange(np.prod(shape, dtype=int)).astype(tensor.dtype).reshape(shape)
        if np.asarray(tensor).shape != tuple(shape) or not np.array_equal(tensor, expected):
            sys.exit(f"{prefix}: {name} is {tensor}, not {expected}")
    print(digest(prefix), end="")
"""

WRITES = """
folder = sys.argv[1]
numbers = np.arange(12, dtype=np.float32).reshape(4, 3)
model = tf.train.Checkpoint(w=tf.Variable(numbers), n=tf.Variable(7, dtype=tf.int64), step=tf.Variable([1.5, 2.5]))
print(model.write(os.path.join(folder, "object")))
print(digest(os.path.join(folder, "object")), end="")

def save(prefix, parts):
    names, slices, tensors = zip(*parts)
    tf.raw_ops.SaveV2(prefix=os.path.join(folder, prefix), tensor_names=names, shape_and_slices=slices, tensors=tensors)

save("rows", [("w", "4 3 0,1:-", numbers[:1]), ("w", "4 3 1,3:-", numbers[1:]), ("b", "", np.uint8([1, 2]))])
save("boxes", [("w", "4 3 0,2:0,2", numbers[:2, :2]), ("w", "4 3 2,2:0,2", numbers[2:, :2]), ("w", "4 3 -:2,1", numbers[:, 2:])])

# As a sharded Saver does: two bundles, merged into one of two shards.
save("part0", [("w", "4 3 0,3:-", numbers[:3]), ("only0", "", np.int32([5]))])
save("part1", [("w", "4 3 3,1:-", numbers[3:]), ("only1", "", np.float64(0.5))])
parts = [os.path.join(folder, part) for part in ("part0", "part1")]
tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=os.path.join(folder, "merged"))

many = [(f"layer/{i:05d}/kernel", "", np.float32(i)) for i in range(20000)]
save("many", many)
"""


def tool(*words: str) -> bytes:
    done = subprocess.run([TOOL, *words], capture_output=True)
    if done.returncode != 0:
        raise AssertionError(f"bundle-tool {' '.join(words)}: exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout


class TensorFlowReadsOurs(unittest.TestCase):
    def test_round_trips_every_type_and_shape_in_one_shard_and_in_slices_over_several(self):
        with tempfile.TemporaryDirectory() as folder:
            ours = []
            for shards in ("1", "2", "3", "7"):
                Path(folder, shards).mkdir()
                ours.append(tool("write", f"{folder}/{shards}", shards).decode())
            self.assertEqual(tensorflow_program.run(DIGEST + READS_OURS, folder), "".join(ours))
        self.assertEqual(len(ours[0].splitlines()), 16)
        self.assertIn("all/float64 float64 [7,3] ", ours[0])
        self.assertEqual(set(ours), {ours[0]})


class WeReadTensorFlows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.told = tensorflow_program.run(DIGEST + WRITES, cls.folder.name)

    def lines(self, verb: str, prefix: str) -> list[str]:
        return tool(verb, f"{self.folder.name}/{prefix}").decode().splitlines()

    def rows(self, prefix: str, name: str, begin: int, count: int) -> list[float]:
        raw = tool("read", f"{self.folder.name}/{prefix}", name, str(begin), str(count))
        return list(memoryview(raw).cast("f"))

    def test_reads_a_checkpoint_of_objects_with_its_graph(self):
        listed = self.lines("list", "object")
        self.assertIn("_CHECKPOINTABLE_OBJECT_GRAPH string [] 1", listed)
        self.assertIn("w/.ATTRIBUTES/VARIABLE_VALUE float32 [4,3] 1", listed)
        self.assertEqual(self.rows("object", "w/.ATTRIBUTES/VARIABLE_VALUE", 1, 2), [3, 4, 5, 6, 7, 8])
        self.assertEqual(self.lines("digest", "object"), self.told.splitlines()[1:])

    def test_reads_slices_of_rows(self):
        self.assertEqual(self.lines("list", "rows"), ["b uint8 [2] 1", "w float32 [4,3] 2"])
        self.assertEqual(self.rows("rows", "w", 0, 4), list(range(12)))
        self.assertEqual(self.rows("rows", "w", 2, 1), [6, 7, 8])

    def test_reads_slices_that_cut_rows(self):
        self.assertEqual(self.lines("list", "boxes"), ["w float32 [4,3] 3"])
        self.assertEqual(self.rows("boxes", "w", 1, 2), [3, 4, 5, 6, 7, 8])

    def test_reads_shards_that_tensorflow_merged(self):
        self.assertEqual(
            self.lines("list", "merged"), ["only0 int32 [1] 1", "only1 float64 [] 1", "w float32 [4,3] 2"]
        )
        self.assertEqual(self.rows("merged", "w", 2, 2), [6, 7, 8, 9, 10, 11])

    def test_reads_an_uncompressed_index_of_many_blocks(self):
        index = Path(self.folder.name, "many.index").stat().st_size
        self.assertGreater(index, 2 * 256 * 1024)
        listed = self.lines("list", "many")
        self.assertEqual(len(listed), 20000)
        self.assertEqual(listed[-1], "layer/19999/kernel float32 [] 1")
        self.assertEqual(self.rows("many", "layer/19999/kernel", 0, 1), [19999])


if __name__ == "__main__":
    unittest.main()
