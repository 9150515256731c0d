"""Changes of the manifest in manifests_test.py that concern strategy Own and models of kind Own."""

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


MODEL = "{kind: LinearRegression, input: x, target: label}"
TENSORS = "[{name: w, shape: [128, 64], initial: {kind: Uniform, scale: 0.01}}, {name: b, shape: []}]"
WORKER = "worker: {template: {spec: {containers: [{name: trainer, image: a, command: [sh]}]}}}"


def own_model(tensors: str = TENSORS, worker: str = WORKER, *more: tuple[str, str]) -> list[tuple[str, str]]:
    return [(MODEL, f"{{kind: Own, tensors: {tensors}}}"), ("worker: {min: 1, max: 3}", worker), *more]


FOR_THE_TRAINER = "is for the trainer; with strategy Own the image's program has its own settings"
NO_IMAGE = "names no image; set spec.containers[0] with name trainer, image and command"

REFUSED = [
    (OF_THE_TRAINER[:1], ["spec.model: Required value: jobs of the trainer need it"]),
    (OF_THE_TRAINER[1:3], ["spec.data: Required value: jobs of the trainer need it",
                           "spec.training: Required value: jobs of the trainer need it"]),
    (own(f"{{worker: {ROLE}}}", "\n  security: {tls: true}", kept=(0, 1, 2, 3)),
     [f"spec.{field}: Forbidden: {FOR_THE_TRAINER}" for field in ("checkpoint", "data", "model", "security", "training")]),
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
    ([(MODEL, "{kind: Own}")],
     ["spec.model.tensors: Invalid value: Own needs it, and no other model has it",
      f"spec.replicas.worker.template: Required value: {NO_IMAGE}"]),
    ([(MODEL, MODEL.replace("}", f", tensors: {TENSORS}}}"))],
     ["spec.model.tensors: Invalid value: Own needs it, and no other model has it"]),
    (own_model(worker="worker: {count: 2}"), [f"spec.replicas.worker.template: Required value: {NO_IMAGE}"]),
    ([("strategy: ParameterServer", "strategy: Single"), ("ps: {count: 2}, ", ""), *own_model()],
     ["spec.strategy: Invalid value: is Single; a model of kind Own needs ParameterServer, as its workers are another program than "
      "the parameter servers"]),
    (own_model(TENSORS, WORKER, ("batch: 64", "batch: 64, deterministic: true")),
     ["spec.training.deterministic: Invalid value: is true, and how the program of a model of kind Own rounds is not known; leave "
      "it out"]),
    (own_model(TENSORS, WORKER, ("data: {train", "data: {eval: {files: [b]}, train"), ("batch: 64", "batch: 64, patience: 2")),
     ["spec.data.eval: Invalid value: needs a model that Carrack computes, and one of kind Own is computed by the job's program; "
      "leave it out",
      "spec.training.patience: Invalid value: counts evaluations, and a model of kind Own has none; leave it out"]),
    (own_model("[]"), ["spec.model.tensors: Invalid value: 0: spec.model.tensors in body should have at least 1 items"]),
    (own_model("[{name: a, shape: [1], trained: false}]"),
     ["spec.model.tensors: Invalid value: have nothing to train: all of them have `trained: false`"]),
    (own_model("[{name: a, shape: [1]}, {name: a, shape: [2]}]"),
     ['spec.model.tensors[1]: Duplicate value: {"name":"a"}']),
    (own_model("[{shape: [1]}]"), ["spec.model.tensors[0].name: Required value"]),
    (own_model("[{name: a, shape: [1, 0]}]"),
     ["spec.model.tensors[0].shape[1]: Invalid value: 0: spec.model.tensors[0].shape[1] in body should be greater than or equal to "
      "1"]),
    (own_model("[{name: a, shape: [1, 1, 1, 1, 1, 1, 1, 1, 1]}]"),
     ["spec.model.tensors[0].shape: Too many: 9: must have at most 8 items"]),
    (own_model("[{name: a b, shape: [1]}]"),
     ['spec.model.tensors[0].name: Invalid value: "a b": spec.model.tensors[0].name in body should match \'^[!-)+-~]+$\'']),
    (own_model("[{name: a, shape: [1], initial: {kind: Uniform, scale: 0}}]"),
     ["spec.model.tensors[0].initial.scale: Invalid value: must be above 0, and at most 1e6"]),
    (own_model("[{name: a, shape: [1], initial: {kind: Constant, scale: 1e7}}]"),
     ["spec.model.tensors[0].initial.scale: Invalid value: 10000000: must be from -1e6 to 1e6"]),
]

TAKEN = [
    own(f"{{worker: {ROLE}}}"),
    own(f"{{coordinator: {ROLE}}}", "\n  framework: PyTorch\n  success: AllWorkers"),
    own(f"{{coordinator: {ROLE}, ps: {ROLE}, worker: {ROLE.replace('{template', '{count: 3, template')}}}",
        "\n  framework: TensorFlow"),
    own("{worker: " + ROLE.replace("{template", "{resources: {limits: {nvidia.com/gpu: 1}}, template") + "}"),
    own_model(),
    own_model(worker=WORKER.replace("{template", "{count: 2, resources: {limits: {nvidia.com/gpu: 1}}, template")),
    own_model("[{name: '" + "~" * 256 + "', shape: [8192], initial: {kind: Constant, scale: -1e6}}, {name: '!', shape: [1, 1, 1, 1, 1, "
              "1, 1, 1], initial: {kind: TruncatedNormal, scale: 1e6}, trained: false}]"),
]

# Fits the schema: the operator says so by the condition Failed.
OF_THE_MODEL = [
    (own_model("[{name: a/Adam/m, shape: [8192]}]"),
     "spec.model.tensors[0].name: is 'a/Adam/m'; must not have /Adam/ in it, as names of the optimizer's state have it (line 7)"),
    (own_model("[{name: a, shape: [1]}]"), "spec.replicas.ps: is 2; the model has 1 block of parameters, so at most 1 (line 6)"),
    (own_model(worker=WORKER.replace(", command: [sh]", "")),
     "spec.replicas.worker.template: names no command; with a model of kind Own give the container trainer the command that trains "
     "it (line 6)"),
    (own_model(worker=WORKER.replace("command: [sh]", "command: [sh], resources: {limits: {cpu: 1}}")),
     "spec.replicas.worker.template.spec.containers[0].resources: belongs to the operator; set resources next to template (line 6)"),
]
