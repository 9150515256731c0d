"""Runs a program of the build with KUBECONFIG set to the cluster that tests use; skips the test if there is none."""

import os
import sys
from pathlib import Path

from cluster import access

program = Path(os.environ["CARRACK_BUILD"]) / "bin" / sys.argv[1]
os.environ["KUBECONFIG"] = str(access.kubeconfig())
sys.stdout.flush()
os.execv(program, [str(program), *sys.argv[2:]])
