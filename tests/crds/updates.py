"""Manifests whose spec.training says how gradients change parameters: what manifests_test.py changes in its manifest, and what the
API server says."""

TALLY = [("{kind: LinearRegression, input: x, target: label}", "{kind: Tally, record: x, records: 9}")]

COUNTS = ("Tally counts with reduction Sum and optimizer SGD at learningRate 1 only, without momentum, schedule, clip, groups and "
          "initialWeights; set them in spec.training")

REFUSED: list[tuple[list[tuple[str, str]], list[str]]] = [
    ([*TALLY, ("optimizer: {kind: Adam}", "reduction: Sum, optimizer: {kind: SGD, learningRate: 1, momentum: 0.5}")],
     [f"spec.model.kind: Invalid value: {COUNTS}"]),
    ([*TALLY, ("optimizer: {kind: Adam}", "reduction: Sum, optimizer: {kind: SGD, learningRate: 1}, schedule: {kind: Constant, "
       "warmupSteps: 1}")], [f"spec.model.kind: Invalid value: {COUNTS}"]),
    ([*TALLY, ("optimizer: {kind: Adam}", "reduction: Sum, optimizer: {kind: SGD, learningRate: 1}, clip: {value: 1}")],
     [f"spec.model.kind: Invalid value: {COUNTS}"]),
    ([*TALLY, ("optimizer: {kind: Adam}", "reduction: Sum, optimizer: {kind: SGD, learningRate: 1}, groups: [{tensors: [tally], "
       "learningRateScale: 2}]")], [f"spec.model.kind: Invalid value: {COUNTS}"]),
    ([*TALLY, ("optimizer: {kind: Adam}", "reduction: Sum, optimizer: {kind: SGD, learningRate: 1}, initialWeights: {from: a}")],
     [f"spec.model.kind: Invalid value: {COUNTS}"]),
    ([("batch: 64", 'batch: 64, initialWeights: {from: "", tensors: [], names: [{storedAs: a}]}')],
     ['spec.training.initialWeights.from: Invalid value: "": spec.training.initialWeights.from in body should be at least 1 chars '
      "long",
      "spec.training.initialWeights.names[0].tensor: Required value",
      "spec.training.initialWeights.tensors: Invalid value: 0: spec.training.initialWeights.tensors in body should have at least "
      "1 items"]),
    ([("batch: 64", 'batch: 64, initialWeights: {from: hdfs://b/c, names: [{tensor: w, storedAs: "a\\nb"}]}'),
      ("checkpoint: {", "checkpoint: {resume: a, ")],
     ['spec.training.initialWeights.from: Invalid value: "hdfs://b/c": \'hdfs://\' cannot be read; there are file:// and gs://',
      'spec.training.initialWeights.names[0].storedAs: Invalid value: "a\\nb": holds control characters',
      "spec.training.initialWeights: Invalid value: a job that resumes another one has its weights; leave out this or "
      "spec.checkpoint.resume"]),
    ([("kind: Adam", "kind: SGD, beta1: 0.9, initialAccumulator: 0, momentum: 1")],
     ["spec.training.optimizer.beta1: Forbidden: only Adam and AdamW have it",
      "spec.training.optimizer.initialAccumulator: Forbidden: only Adagrad has it",
      "spec.training.optimizer.momentum: Invalid value: 1: spec.training.optimizer.momentum in body should be less than 1"]),
    ([("kind: Adam", "kind: Adam, momentum: 0.9, weightDecay: 0.1")],
     ["spec.training.optimizer.momentum: Forbidden: only SGD has it",
      "spec.training.optimizer.weightDecay: Forbidden: only AdamW has it"]),
    ([("kind: Adam", "kind: Adam, nesterov: true, momentum: 0.9, rho: 0.9")],
     ["spec.training.optimizer.momentum: Forbidden: only SGD has it",
      "spec.training.optimizer.nesterov: Forbidden: only SGD has it",
      "spec.training.optimizer.rho: Forbidden: only RMSProp has it"]),
    ([("kind: Adam", "kind: SGD, nesterov: true")],
     ["spec.training.optimizer.nesterov: Invalid value: needs a momentum above 0"]),
    ([("kind: Adam", "kind: RMSProp, rho: 1")],
     ["spec.training.optimizer.rho: Invalid value: 1: spec.training.optimizer.rho in body should be less than 1"]),
    ([("kind: Adam", "kind: AdamW, weightDecay: -0.1")],
     ["spec.training.optimizer.weightDecay: Invalid value: -0.1: spec.training.optimizer.weightDecay in body should be "
      "greater than or equal to 0"]),
    ([("kind: Adam", "kind: Adagrad, beta2: 0.9, initialAccumulator: 1000001")],
     ["spec.training.optimizer.beta2: Forbidden: only Adam and AdamW have it",
      "spec.training.optimizer.initialAccumulator: Invalid value: 1000001: spec.training.optimizer.initialAccumulator "
      "in body should be less than or equal to 1000000"]),
    ([("batch: 64", "batch: 64, schedule: {kind: Step, steps: 0, final: 1.5, warmupSteps: -1}")],
     ["spec.training.schedule.final: Invalid value: 1.5: spec.training.schedule.final in body should be less than or equal to 1",
      'spec.training.schedule.kind: Unsupported value: "Step": supported values: "Constant", "Linear", "Cosine", '
      '"Exponential"',
      "spec.training.schedule.steps: Invalid value: 0: spec.training.schedule.steps in body should be greater than or equal "
      "to 1",
      "spec.training.schedule.warmupSteps: Invalid value: -1: spec.training.schedule.warmupSteps in body should be greater "
      "than or equal to 0"]),
    ([("batch: 64", "batch: 64, schedule: {kind: Constant, steps: 5, final: 0.5}")],
     ["spec.training.schedule.final: Forbidden: Constant has none",
      "spec.training.schedule.steps: Invalid value: all kinds need it but Constant, which has none"]),
    ([("batch: 64", "batch: 64, schedule: {kind: Exponential, steps: 10, warmupSteps: 10}")],
     ["spec.training.schedule.final: Invalid value: is 0, which an exponential decay does not reach; give a fraction above 0, "
      "such as 0.01",
      "spec.training.schedule.steps: Invalid value: must be above warmupSteps, as it counts the warm-up, too"]),
    ([("batch: 64", "batch: 64, schedule: {kind: Linear}")],
     ["spec.training.schedule.steps: Invalid value: all kinds need it but Constant, which has none"]),
    ([("batch: 64", "batch: 64, clip: {}")], ["spec.training.clip: Invalid value: limits nothing; give value, norm or both"]),
    ([("batch: 64", "batch: 64, clip: {value: 0, norm: 1e31}")],
     ["spec.training.clip.norm: Invalid value: 1e+31: must be from 1e-30 to 1e30",
      "spec.training.clip.value: Invalid value: 0: must be from 1e-30 to 1e30"]),
    ([("batch: 64", "batch: 64, groups: [{tensors: [w], weightDecay: 0}]")],
     ["spec.training.groups: Invalid value: only AdamW decays weights; use it as spec.training.optimizer.kind, or leave "
      "weightDecay out"]),
    ([("batch: 64", 'batch: 64, groups: [{tensors: []}, {tensors: [""], learningRateScale: -1}, {frozen: true}]')],
     ["spec.training.groups[0].tensors: Invalid value: 0: spec.training.groups[0].tensors in body should have at least 1 items",
      "spec.training.groups[1].learningRateScale: Invalid value: -1: spec.training.groups[1].learningRateScale in body should be "
      "greater than or equal to 0",
      'spec.training.groups[1].tensors[0]: Invalid value: "": spec.training.groups[1].tensors[0] in body should be at least 1 '
      "chars long",
      "spec.training.groups[2].tensors: Required value"]),
]

TAKEN: list[list[tuple[str, str]]] = [
    [("kind: Adam", "kind: SGD, momentum: 0.999999")],
    [("kind: Adam", "kind: SGD, momentum: 0.9, nesterov: true")],
    [("kind: Adam", "kind: SGD, nesterov: false")],
    [("kind: Adam", "kind: RMSProp, rho: 0, epsilon: 1")],
    [("batch: 64", "batch: 64, schedule: {kind: Constant}")],
    [("batch: 64", "batch: 64, schedule: {kind: Cosine, steps: 2, warmupSteps: 1, final: 1}")],
    [("batch: 64", "batch: 64, schedule: {kind: Exponential, steps: 9223372036854775807, final: 1e-30}")],
    [("kind: Adam", "kind: AdamW, epsilon: 1, weightDecay: 0")],
    [("kind: Adam", "kind: Adagrad, epsilon: 1e30, initialAccumulator: 1e6")],
    [("batch: 64", "batch: 64, clip: {value: 1e30}")],
    [("batch: 64", "batch: 64, clip: {norm: 1e-30}")],
    [("batch: 64", "batch: 64, clip: {value: 1, norm: 1}")],
    [("batch: 64", "batch: 64, groups: []")],
    [("batch: 64", "batch: 64, groups: [{tensors: [b], frozen: true}, {tensors: ['*'], learningRateScale: 1e6}]")],
    [("kind: Adam}", "kind: AdamW}, groups: [{tensors: [b, w*], weightDecay: 0, learningRateScale: 0.5}]")],
    [("batch: 64", "batch: 64, initialWeights: {from: gs://b/ckpt-5}")],
    [("batch: 64", "batch: 64, initialWeights: {from: a.safetensors, tensors: [w], names: [{tensor: w, storedAs: 0.weight}]}")],
]

OF_THE_MODEL: list[tuple[list[tuple[str, str]], str]] = [
    ([("batch: 64", "batch: 64, groups: [{tensors: [w, '*/bias'], frozen: true}]")],
     "spec.training.groups[0].tensors[1]: '*/bias' matches no tensor; the model has b, w (line 9)"),
    ([("batch: 64", "batch: 64, initialWeights: {from: a, names: [{tensor: W}]}")],
     "spec.training.initialWeights.names[0].tensor: 'W' is not a tensor that changes; the model has w, b (line 9)"),
    ([("batch: 64", "batch: 64, groups: [{tensors: ['*'], learningRateScale: 0}]")],
     "spec.training.groups: freeze every tensor; nothing is left to train (line 9)"),
]
