"""The real one-node Kubernetes that tests run on.

    ./dev cluster up [--fake-nodes N]    starts it, or finds it running
    ./dev cluster down                   ends it; nothing of it is left
    ./dev cluster status                 which parts are ready, and how to use it; exit code 0 if all are
    ./dev cluster kubeconfig             prints the path of the administrator's kubeconfig
    ./dev cluster load ARCHIVE...        imports image archives
    ./dev cluster fake-nodes N           sets the number of fake nodes

With KUBECONFIG set, tests use that cluster: `up` only asks whether it answers and `down` leaves it alone.
--instance N works on another cluster, beside the developer's, whatever KUBECONFIG says.
--for-tests is what ctest calls: `up` starts only what is missing, and `down` ends only what such an `up` started.
"""

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))

from cluster import access, cgroups, fake_nodes, images, lifecycle, readiness
from cluster.instance import MOST, Instance
from support import machine


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev cluster", usage=__doc__, add_help=False)
    parser.add_argument("verb", choices=["up", "down", "status", "kubeconfig", "load", "fake-nodes", "help"])
    parser.add_argument("operands", nargs="*")
    parser.add_argument("--instance", type=int, choices=range(MOST), metavar=f"0..{MOST - 1}")
    parser.add_argument("--fake-nodes", type=int, default=0)
    parser.add_argument("--for-tests", action="store_true")
    options = parser.parse_intermixed_args(arguments)
    wanted = {"load": "the image archives", "fake-nodes": "their number"}.get(options.verb)
    if wanted and not options.operands:
        parser.error(f"{options.verb} expects {wanted}")
    if (not wanted and options.operands) or (options.verb == "fake-nodes" and len(options.operands) > 1):
        parser.error(f"{options.verb} does not know '{options.operands[-1]}'")
    if options.verb == "fake-nodes" and not options.operands[0].isdecimal():
        parser.error(f"fake-nodes expects a number from 0 on, not '{options.operands[0]}'")
    return options


def of_users_cluster(verb: str) -> int:
    if verb == "kubeconfig":
        print(access.kubeconfig())
        return 0
    print(f"KUBECONFIG is set: tests use the cluster of {access.kubeconfig()}; nothing is started or ended here")
    if verb in ("up", "status"):
        print(access.kubectl("version"), end="")
    return 2 if verb in ("load", "fake-nodes") else 0


def of_own_cluster(options: argparse.Namespace, instance: Instance) -> int:
    if options.verb == "kubeconfig":
        if not cgroups.processes(instance.name):
            option = f" --instance {instance.number}" if instance.number else ""
            sys.exit(f"the cluster is down; `./dev cluster up{option}` starts it")
        print(instance.kubeconfig())
        return 0
    if os.geteuid() != 0:
        reason = "a cluster needs root: namespaces, mounts, cgroups; or set KUBECONFIG to one you have"
        return machine.skip(reason) if options.for_tests else sys.exit(reason)
    if options.verb == "up":
        lifecycle.up(instance, options.for_tests)
        if options.fake_nodes:
            fake_nodes.set_number(options.fake_nodes, instance)
    elif options.verb == "down":
        lifecycle.down(instance, options.for_tests)
    elif options.verb == "status":
        return 0 if readiness.print_status(instance) else 1
    elif options.verb == "load":
        images.load(instance, [Path(operand) for operand in options.operands])
    elif options.verb == "fake-nodes":
        (number,) = options.operands
        fake_nodes.set_number(int(number), instance)
        print(f"{number} fake nodes are Ready")
    return 0


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    if options.verb == "help":
        print(__doc__)
        return 0
    if options.instance is not None:
        os.environ.pop("KUBECONFIG", None)
    instance = Instance(options.instance or 0)
    if instance.is_replaced_by_users_cluster():
        return of_users_cluster(options.verb)
    return of_own_cluster(options, instance)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
