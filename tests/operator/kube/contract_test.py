"""The Kubernetes cluster is held against the cluster contract, in a namespace of its own of a real cluster."""

import os
import subprocess
import sys
from pathlib import Path

from cluster import access
from crds import definition
from support import machine

if access.OWN.is_replaced_by_users_cluster():
    machine.skip("KUBECONFIG is set; these tests end processes of pods, for which the node must be this machine")
access.load_image("member")
program = Path(os.environ["CARRACK_BUILD"]) / "bin" / "kube_contract"
with definition.applied(), access.namespace("contract") as name_space:
    environment = os.environ | {"KUBECONFIG": str(access.kubeconfig()), "CARRACK_NAMESPACE": name_space}
    sys.exit(subprocess.run([program, *sys.argv[1:]], env=environment).returncode)
