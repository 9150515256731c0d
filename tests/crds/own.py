"""Changes of the manifest in manifests_test.py that concern strategy Own."""

ROLE = "{template: {spec: {containers: [{name: trainer, image: a, command: [sh]}]}}}"
REPLICAS = "  replicas: {ps: {count: 2}, worker: {min: 1, max: 3}}\n"
OF_THE_TRAINER = [
    ("  model: {kind: LinearRegression, input: x, target: label}\n", ""),
    ("  data: {train: {files: [data/*.tfrecord]}, features: {x: {type: float32, size: 20000}, label: {type: float32}}}\n", ""),
    ("  training: {batch: 64, optimizer: {kind: Adam}}\n", ""),
    ("  checkpoint: {folder: out}\n", ""),
]


def own(replicas: str, more: str = "", kept: tuple[int, ...] = ()) -> list[tuple[str, str]]:
    gone = [change for at, change in enumerate(OF_THE_TRAINER) if at not in kept]
    return [("strategy: ParameterServer", "strategy: Own" + more), (REPLICAS, f"  replicas: {replicas}\n"), *gone]


FOR_THE_TRAINER = "is for the trainer; with strategy Own the image's program has its own settings"
NO_IMAGE = "names no image; set spec.containers[0] with name trainer, image and command"

REFUSED = [
    (OF_THE_TRAINER[:1], ["spec.model: Required value: jobs of the trainer need it"]),
    (OF_THE_TRAINER[1:3], ["spec.data: Required value: jobs of the trainer need it",
                           "spec.training: Required value: jobs of the trainer need it"]),
    (own(f"{{worker: {ROLE}}}", kept=(0, 1, 2, 3)),
     [f"spec.{field}: Forbidden: {FOR_THE_TRAINER}" for field in ("checkpoint", "data", "model", "training")]),
    ([("strategy: ParameterServer", "strategy: ParameterServer\n  framework: PyTorch\n  success: Leader")],
     ["spec.framework: Forbidden: is for strategy Own; leave it out", "spec.success: Forbidden: is for strategy Own; leave it out"]),
    (own(f"{{worker: {ROLE}}}", "\n  framework: Torch\n  success: Some"),
     ['spec.framework: Unsupported value: "Torch": supported values: "None", "TensorFlow", "PyTorch"',
      'spec.success: Unsupported value: "Some": supported values: "Leader", "AllWorkers"']),
    (own("{}"), ["spec.replicas: Required value: has no worker; give worker, with the template of its pods"]),
    (own(f"{{ps: {ROLE}}}"), ["spec.replicas: Required value: has no worker; give worker, with the template of its pods"]),
    (own("{worker: {count: 2}, ps: {}, coordinator: {}}"),
     [f"spec.replicas.{role}.template: Required value: {NO_IMAGE}" for role in ("coordinator", "ps", "worker")]),
    (own(f"{{worker: {ROLE}, ps: {ROLE}}}", "\n  framework: PyTorch"),
     ["spec.replicas.ps: Forbidden: PyTorch has no parameter servers; leave it out"]),
    (own("{worker: " + ROLE.replace("{template", "{min: 1, max: 2, template") + "}"),
     ["spec.replicas.worker: Forbidden: is for jobs of the trainer; with strategy Own give count"]),
    (own(f"{{coordinator: {ROLE.replace('{template', '{count: 2, template')}}}"),
     ["spec.replicas.coordinator.count: Invalid value: 2: spec.replicas.coordinator.count in body should be less than or "
      "equal to 1"]),
    ([(REPLICAS, "  replicas: {coordinator: {count: 1}}\n")],
     ["spec.replicas.coordinator.count: Forbidden: there is one coordinator; leave it out"]),
    (own(f"{{worker: {ROLE}}}\n  run: {{progressDeadlineSeconds: 60}}"),
     ["spec.run.progressDeadlineSeconds: Forbidden: with strategy Own the steps of the program are not known; leave it out"]),
]

TAKEN = [
    own(f"{{worker: {ROLE}}}"),
    own(f"{{coordinator: {ROLE}}}", "\n  framework: PyTorch\n  success: AllWorkers"),
    own(f"{{coordinator: {ROLE}, ps: {ROLE}, worker: {ROLE.replace('{template', '{count: 3, template')}}}",
        "\n  framework: TensorFlow"),
    own("{worker: " + ROLE.replace("{template", "{resources: {limits: {nvidia.com/gpu: 1}}, template") + "}"),
]
