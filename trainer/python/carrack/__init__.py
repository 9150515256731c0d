"""Workers of Carrack's parameter servers that are programs of PyTorch, or of anything else.

    import carrack, torch, torch.nn.functional as F

    model = Net()
    with carrack.join() as job:
        job.bind(model)
        for batch in job:
            loss = F.cross_entropy(model(batch["x"]), batch["y"].flatten(), reduction="sum")
            loss.backward()
            job.push(loss)

docs/reference/python.md of the repository describes each function.
"""

from ._library import Error
from .job import Batch, Job, Tensor, join
from .weights import load_checkpoint, save_weights

__all__ = ["Batch", "Error", "Job", "Tensor", "join", "load_checkpoint", "save_weights"]
