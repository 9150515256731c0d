"""Changes of the manifest in manifests_test.py that concern spec.replicas."""

SINGLE = [("ParameterServer", "Single"), ("  replicas: {ps: {count: 2}, worker: {min: 1, max: 3}}\n", "")]
NO_REPLICAS = "give both min and max, or neither"
NO_RESOURCE = ("names no resource; there are cpu, memory, ephemeral-storage, hugepages-2Mi and, with a domain, devices such as "
               "example.com/device")

REFUSED = [
    ([("{count: 2}", "{min: 1, max: 2}")],
     ["spec.replicas.ps: Invalid value: min and max differ; parameter servers do not scale while a job runs, give count"]),
    ([("min: 1, max: 3", "min: 1")], [f"spec.replicas.worker: Invalid value: {NO_REPLICAS}"]),
    ([("{count: 2}", "{count: 2, min: 2, max: 2}")], ["spec.replicas.ps: Invalid value: give count, or min and max"]),
    ([("min: 1, max: 3", "count: 4, min: 1, max: 3")], ["spec.replicas.worker.count: Invalid value: is not from min to max"]),
    ([("min: 1, max: 3", "count: 1, min: 2, max: 3")], ["spec.replicas.worker.count: Invalid value: is not from min to max"]),
    ([("min: 1, max: 3", "count: 9")],
     ["spec.training.lanes: Invalid value: is below the workers of spec.replicas.worker; each needs a lane"]),
    ([("min: 1, max: 3", "min: 3, max: 2")], ["spec.replicas.worker: Invalid value: max is below min"]),
    ([("count: 2", "count: 0")], ["spec.replicas.ps.count: Invalid value: 0: spec.replicas.ps.count in body should be "
                                  "greater than or equal to 1"]),
    ([("count: 2", "count: 1001")], ["spec.replicas.ps.count: Invalid value: 1001: spec.replicas.ps.count in body should "
                                     "be less than or equal to 1000"]),
    ([("max: 3", "max: 3, resources: {requests: {cpu: 0.5, memory: much}}")],
     ['spec.replicas.worker.resources.requests.cpu: Invalid value: "number": spec.replicas.worker.resources.requests.cpu in '
      'body must be of type integer,string: "number"',
      'spec.replicas.worker.resources.requests.memory: Invalid value: "much": spec.replicas.worker.resources.requests.memory '
      "in body should match '^[0-9]+([.][0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$'"]),
    ([("max: 3", "max: 3, resources: {requests: {cpu: -3}}")],
     ["spec.replicas.worker.resources.requests.cpu: Invalid value: -3: spec.replicas.worker.resources.requests.cpu in body "
      "should be greater than or equal to 0"]),
    ([("max: 3", "max: 3, resources: {requests: {cpu: 2}, limits: {cpu: 1500m}}")],
     ["spec.replicas.worker.resources: Invalid value: a request is above its limit"]),
    ([("max: 3", "max: 3, resources: {requests: {memroy: 1Gi}}")],
     [f"spec.replicas.worker.resources.requests: Invalid value: {NO_RESOURCE}"]),
    ([("max: 3", "max: 3, resources: {limits: {nvidia.com/gpu: 3}}")],
     ["spec.replicas.worker.resources: Invalid value: a worker computes on 1, 2, 4, 8 or 16 GPUs or, without this, on its CPUs"]),
    ([("max: 3", "max: 3, resources: {limits: {nvidia.com/gpu: '32'}}")],
     ["spec.replicas.worker.resources: Invalid value: a worker computes on 1, 2, 4, 8 or 16 GPUs or, without this, on its CPUs"]),
    ([("count: 2", "count: 2, resources: {limits: {nvidia.com/gpu: 1}}")],
     ["spec.replicas.ps.resources: Invalid value: only workers compute on GPUs; leave it out"]),
    ([*SINGLE, ("  model", "  replicas: {coordinator: {resources: {requests: {cpu: 1}}}}\n  model")],
     ["spec.replicas.coordinator: Forbidden: Single has no coordinator of its own; leave it out"]),
    ([("max: 3", "max: 3, template: []")],
     ['spec.replicas.worker.template: Invalid value: "array": spec.replicas.worker.template in body must be of type object: '
      '"array"']),
    ([("max: 3", "max: 3, requests: {cpu: 1}")],
     ['Error from server (BadRequest): error when creating "STDIN": TrainingJob in version "v1alpha1" cannot be handled as '
      'a TrainingJob: strict decoding error: unknown field "spec.replicas.worker.requests"']),
]

TAKEN = [
    [("min: 1, max: 3", "count: 1, min: 1, max: 3")],
    [("min: 1, max: 3", "count: 8")],
    [("max: 3", "max: 3, template: {metadata: {labels: {a: b}}, spec: {nodeSelector: {c: d}, containers: [{name: trainer}]}}")],
    [("max: 3", "max: 3, resources: {limits: {nvidia.com/gpu: 1}}")],
    [("max: 3", "max: 3, resources: {limits: {nvidia.com/gpu: 2}}")],
    [("max: 3", "max: 3, resources: {limits: {nvidia.com/gpu: '4'}}")],
    [("{count: 2}", "{min: 2, max: 2}")],
    [("{count: 2}", "{}")],
    [("{count: 2}", "{resources: {requests: {cpu: 500m, memory: 0.5Gi, ephemeral-storage: 1Gi}, limits: {cpu: '0.5', "
      "memory: 1000000000, example.com/device: 2, hugepages-2Mi: 4Mi}}}"), ("{ps:", "{coordinator: {resources: {}}, ps:")],
]
