"""python -m carrack tensors MODULE:NAME [--weights FILE]

Prints the `tensors` of spec.model for a torch.nn.Module: NAME of the Python module MODULE is one, or makes one without
arguments. With --weights it also writes the values that they have as a file for spec.training.initialWeights.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys

from . import binding, weights


def module_named(text: str):
    place, _, name = text.partition(":")
    if not name:
        sys.exit(f"carrack tensors: '{text}' is not MODULE:NAME, such as fit:Net")
    sys.path.insert(0, "")
    try:
        found = getattr(importlib.import_module(place), name)
    except (ImportError, AttributeError) as error:
        sys.exit(f"carrack tensors: {text}: {error}")
    return found if hasattr(found, "state_dict") and not isinstance(found, type) else found()


# What YAML 1.1 or 1.2 does not read as text, in any case. Names with a dot in them are text.
WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}


def quoted_if_needed(name: str) -> str:
    is_text = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*", name) and name.lower() not in WORDS
    return name if is_text else json.dumps(name)


def manifest_lines(module) -> list[str]:
    import torch

    lines = ["tensors:"]
    for name, own in binding.tensors_of(module).items():
        is_trained = isinstance(own, torch.nn.Parameter) and own.requires_grad
        lines.append(f"- {{name: {quoted_if_needed(name)}, shape: {list(own.shape)}{'' if is_trained else ', trained: false'}}}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m carrack", description="Helps to write the manifest of a job.")
    commands = parser.add_subparsers(required=True)
    tensors = commands.add_parser("tensors", help="print spec.model.tensors of a torch.nn.Module")
    tensors.add_argument("module", metavar="MODULE:NAME", help="a module, or what makes one, such as fit:Net")
    tensors.add_argument("--weights", metavar="FILE", help="write its values to this .safetensors file")
    chosen = parser.parse_args()
    module = module_named(chosen.module)
    print("\n".join(manifest_lines(module)))
    if chosen.weights:
        weights.save_weights(module, chosen.weights)


if __name__ == "__main__":
    main()
