"""The API server and the decoder of manifests agree on what is refused: 2,000 manifests made of the schema, and 500 odd YAML texts,
all from fixed seeds. What only one of them can know is a table here, with the reason."""

import http.client
import json
import os
import re
import subprocess
import tempfile
import unittest
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, NamedTuple

import yaml

from cluster import access
from crds import definition, generated
from crds.manifests_test import MANIFEST
from support import machine

CARRACK = Path(os.environ["CARRACK_BUILD"]) / "bin" / "carrack"
SEED = int(os.environ.get("CARRACK_SEED", "1"))
MANIFESTS, TEXTS = 2000, 500
FILES_AT_ONCE = 250
CREATE = "/apis/carrack.dev/v1alpha1/namespaces/default/trainingjobs?dryRun=All&fieldValidation=Strict"


class Verdict(NamedTuple):
    """What each of them says of a manifest, a line for each problem; nothing where it takes it."""
    text: str
    server: str
    decoder: str


# What the decoder refuses and the API server takes: the first words of a problem, as a pattern, and why the schema cannot know it.
ONLY_THE_DECODER = [
    (r"^spec\.\S+: is empty; must be ", "the API server drops a null as if the field were not there; `carrack` takes it for a slip"),
    (r"^spec\.data\.train\.(mix\[\d+\]\.)?stages\[\d+\]: is more than one stage", "likewise: one of them is null"),
    (r"^manifest: line \d+: '.*' is .* to kubectl; write ", "words and numbers that YAML 1.1 and 1.2 read differently are refused"),
    (r"^manifest: holds more than one document", "the API server reads the first one and ignores the rest"),
    (r"^manifest: line \d+: is not valid YAML: ", "likewise, of what stands behind the end of the first one"),
    (r"^spec\.training\.batch: is text; must be a whole number", "tags such as !!int are not read"),
    (r"^spec\.model\.layers\[\d+\]\.\w+: is (unknown|missing)", "which fields a layer has follows from its kind"),
    (r"^spec\.model\.(?!.*must be from)(layers\[\d+\]\S*|loss\S*|input|target|record):? ", "what a model makes of its features: names, types, shapes, sizes"),
    (r"^spec\.model\.layers: have \d+ parameters; must have ", "how many parameters a model has"),
    (r"^spec\.model\.tensors(: have more than|\[\d+\]\.name: is '.*'; must not have /)", "a rule would read too many texts, or multiply"),
    (r"^spec\.replicas\.ps: is \d+; the model has \d+ block", "how many blocks of parameters a model has"),
    (r"^spec\.training\.(groups|initialWeights)\S*: '.*' (matches no tensor|is not a tensor that changes)", "which tensors a model has"),
    (r"^spec\.replicas\.\S+: '0' is not a quantity of ", "of a device there may be none, and all resources have one schema"),
    (r"^spec\.replicas\.\w+\.template(\.|: names no (image|command))", "a pod template is of Kubernetes, and its schema keeps any field"),
    (r"^spec\.data\.train\.stages\[\d+\]\.filter\.(min|max): is .* for an int64 feature", "of which type the feature is"),
    (r"^spec\.(model|training\.optimizer)\.\w+: is unknown; there are ", "a null, as above, of a field that this kind does not have"),
    (r"^spec\.(model|data|training|checkpoint|security|framework|success): is for ", "a null, as above, of a field that this strategy does not have"),
    (r"^spec\.run\.failureRules\[\d+\]\.roles: has \w+; with strategy Single", "of two parts of the spec, one of which may change alone"),
]

# What the API server refuses and the decoder takes, likewise.
ONLY_THE_SERVER = [
    (r"^spec\.checkpoint(\.folder)?: Required value", "`carrack run` has a folder of its own by default"),
    (r"^\.spec\.replicas\.worker\.count: .* accessor error: \d+ is of the type float64, expected int64$",
     "the subresource scale, and rules, take no whole number that is written 1.0; the schema does"),
    (r"^spec(\.training\.lanes)?: .* invalid data, expected int, got float64 evaluating rule: ", "likewise"),
    (r"^spec\.data\.train\.files: Invalid value: 0: .* at least 1 items$", "U+2028 alone is a line break in YAML 1.1, and text in 1.2"),
]


@contextmanager
def api_server() -> Iterator[http.client.HTTPConnection]:
    command = [machine.program("kubectl"), f"--kubeconfig={access.kubeconfig()}", "proxy", "--port=0"]
    proxy = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"NO_PROXY": "*"})
    try:
        port = int(proxy.stdout.readline().rpartition(":")[2])
        yield http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    finally:
        proxy.kill()
        proxy.communicate()


def complaint_of_server(connection: http.client.HTTPConnection, text: str, kind: str) -> str:
    connection.request("POST", CREATE, text.encode(), {"Content-Type": f"application/{kind}"})
    reply = connection.getresponse()
    body = json.loads(reply.read())
    if reply.status == 201:
        return ""
    causes = [cause for cause in body.get("details", {}).get("causes", []) if cause["field"] != "<nil>"]
    return "\n".join(f"{cause['field']}: {cause['message']}" for cause in causes) or body["message"]


def complaints_of_decoder(texts: list[str]) -> list[str]:
    """`carrack validate` takes many manifests at once, and says of each valid one that it is."""
    said = [""] * len(texts)
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts):
            Path(folder, f"{number:04}.yaml").write_bytes(text.encode())
        for begin in range(0, len(texts), FILES_AT_ONCE):
            names = [f"{number:04}.yaml" for number in range(begin, min(begin + FILES_AT_ONCE, len(texts)))]
            done = subprocess.run([CARRACK, "validate", "--no-data", *names], cwd=folder, capture_output=True, text=True, timeout=120)
            assert done.returncode in (0, 2), done
            answered = set()
            for line in [*done.stdout.splitlines(), *done.stderr.splitlines()]:
                if found := re.match(r"(?:carrack validate: )?(\d{4})\.yaml: (.*)", line):
                    answered.add(found[1])
                    if not found[2].startswith("is valid"):
                        said[int(found[1])] += found[2] + "\n"
            assert len(answered) == len(names), sorted(set(names) - {f"{name}.yaml" for name in answered})
    return said


def is_excepted(verdict: Verdict) -> bool:
    """Whether all that one of them says is in its table."""
    table, said = (ONLY_THE_SERVER, verdict.server) if verdict.server else (ONLY_THE_DECODER, verdict.decoder)
    return all(any(re.search(pattern, problem) for pattern, _ in table) for problem in said.splitlines())


class Agreement(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(definition.applied())
        cls.connection = cls.enterClassContext(api_server())
        version, = yaml.safe_load((definition.CRDS / "trainingjobs.yaml").read_text())["spec"]["versions"]
        cls.schema = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
        cls.examples = [yaml.safe_load(path.read_text()) for path in sorted((definition.CRDS / "examples").glob("*.yaml"))]

    def verdicts(self, texts: list[str], kind: str) -> list[Verdict]:
        server = [complaint_of_server(self.connection, text, kind) for text in texts]
        return [Verdict(*one) for one in zip(texts, server, complaints_of_decoder(texts))]

    def assert_agree(self, verdicts: list[Verdict]) -> None:
        apart = [one for one in verdicts if bool(one.server) != bool(one.decoder) and not is_excepted(one)]
        if report := os.environ.get("CARRACK_REPORT"):
            with open(report, "a") as file:
                for one in verdicts:
                    if bool(one.server) != bool(one.decoder):
                        file.write(json.dumps(one._asdict() | {"excepted": is_excepted(one)}) + "\n")
        refused = sum(bool(one.server) for one in verdicts)
        print(f"{len(verdicts)} texts, {refused} refused, {len(apart)} apart", flush=True)
        self.assertEqual([f"SERVER {one.server!r} DECODER {one.decoder!r}\n{one.text[:3000]}" for one in apart[:20]], [])
        self.assertGreater(refused, len(verdicts) // 5)
        self.assertGreater(len(verdicts) - refused, len(verdicts) // 5)

    def test_on_manifests_of_the_schema(self):
        self.assert_agree(self.verdicts(generated.manifests(self.schema, self.examples, MANIFESTS, SEED), "json"))

    def test_on_odd_yaml(self):
        self.assert_agree(self.verdicts(generated.texts(MANIFEST, TEXTS, SEED), "yaml"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
