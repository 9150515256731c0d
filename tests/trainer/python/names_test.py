"""Names of tensors as `python -m carrack tensors` writes them: whatever reads the manifest must read text. Needs no PyTorch."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

from support import machine

sys.path.insert(0, str(machine.REPOSITORY / "trainer" / "python"))
from carrack.__main__ import quoted_if_needed  # noqa: E402

PLAIN = ["fc1.weight", "_", "_1", "e5", "nan", "inf", "on.weight", "true_", "nullable"]
QUOTED = [*"yYnN", "yes", "Yes", "NO", "on", "off", "OFF", "true", "True", "false", "null", "Null", "NULL", "~", "0", "1.5", "1_000", "0x1f",
          "1e3", ".5", ".inf", ".nan", "-", "-a", "a-b", "a:b", "a,b", "{a}", "[a]", "#a", "&a", "!a", "'a'", '"a"', "a\\b", "=", "<<", "%a"]
MANIFEST = """\
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: line}}
spec:
  strategy: ParameterServer
  replicas: {{worker: {{template: {{spec: {{containers: [{{name: trainer, image: a, command: [sh]}}]}}}}}}}}
  model:
    kind: Own
    tensors:
{tensors}
  data: {{train: {{files: [no.tfrecord]}}, features: {{x: {{type: float32}}}}}}
  training: {{batch: 1, optimizer: {{kind: SGD}}}}
"""


def line(name: str) -> str:
    return f"- {{name: {quoted_if_needed(name)}, shape: [1]}}"


class Names(unittest.TestCase):
    def test_pyyaml_reads_them_as_text(self):
        for name in PLAIN + QUOTED:
            with self.subTest(name):
                self.assertEqual(yaml.safe_load(line(name)), [{"name": name, "shape": [1]}])

    def test_carrack_reads_them_as_text(self):
        """It refuses what else YAML may read, and then the second of the same name."""
        lines = [line(name) for name in PLAIN + QUOTED]
        self.assertEqual(self.complaints(lines), [])
        for at, (name, one) in enumerate(zip(PLAIN + QUOTED, lines)):
            with self.subTest(name):
                [words] = self.complaints([*lines, one])
                self.assertIn(f"spec.model.tensors[{len(lines)}].name: '{name}' is the name of spec.model.tensors[{at}], too", words)

    def test_only_those_that_need_it_have_quotes(self):
        self.assertEqual([name for name in PLAIN + QUOTED if quoted_if_needed(name) == name], PLAIN)

    def complaints(self, lines: list[str]) -> list[str]:
        """What `carrack validate` says of the tensors; their data are not there."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "job.yaml"
            path.write_text(MANIFEST.format(tensors="\n".join(f"    {one}" for one in lines)))
            done = subprocess.run([machine.build() / "bin" / "carrack", "validate", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True)
            return [words for words in done.stdout.splitlines() if "spec.model" in words]


if __name__ == "__main__":
    unittest.main()
