"""The real one-node Kubernetes that tests run on.

    ./dev cluster up [--fake-nodes N]    starts it, unless it runs
    ./dev cluster down                   ends it and leaves nothing behind
    ./dev cluster status                 which parts are ready, and how to use it; exit code 0 if all are
    ./dev cluster kubeconfig             prints the path of the administrator's kubeconfig
    ./dev cluster load ARCHIVE...        imports image archives
    ./dev cluster fake-nodes N           sets the number of fake nodes

With KUBECONFIG set, tests use that cluster: `up` only checks that it answers, and `down` leaves it alone.
--instance N works on another cluster, beside the developer's, whatever KUBECONFIG says.
--for-tests is for ctest: `up` starts a cluster only if there is none, and `down` ends only a cluster started that way.
"""

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))

from cluster import access, cgroups, fake_nodes, images, lifecycle, readiness
from cluster.instance import COUNT_MAX, Instance
from support import machine


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev cluster", usage=__doc__, add_help=False)
    parser.add_argument("verb", choices=["up", "down", "status", "kubeconfig", "load", "fake-nodes", "help"])
    parser.add_argument("operands", nargs="*")
    parser.add_argument("--instance", type=int, choices=range(COUNT_MAX), metavar=f"0..{COUNT_MAX - 1}")
    parser.add_argument("--fake-nodes", type=int, default=0)
    parser.add_argument("--for-tests", action="store_true")
    options = parser.parse_intermixed_args(arguments)
    expected = {"load": "the image archives to load", "fake-nodes": "the number of fake nodes"}.get(options.verb)
    if expected and not options.operands:
        parser.error(f"{options.verb}: give {expected}")
    if (not expected and options.operands) or (options.verb == "fake-nodes" and len(options.operands) > 1):
        parser.error(f"{options.verb}: unknown operand '{options.operands[-1]}'")
    if options.verb == "fake-nodes" and not options.operands[0].isdecimal():
        parser.error(f"fake-nodes: '{options.operands[0]}' is not a number; give 0 or more")
    return options


def act_on_users_cluster(verb: str) -> int:
    if verb == "kubeconfig":
        print(access.kubeconfig())
        return 0
    print(f"KUBECONFIG is set: tests use the cluster of {access.kubeconfig()}; this command starts and ends nothing")
    if verb in ("up", "status"):
        print(access.kubectl("version"), end="")
    return 2 if verb in ("load", "fake-nodes") else 0


def act_on_own_cluster(options: argparse.Namespace, instance: Instance) -> int:
    if options.verb == "kubeconfig":
        if not cgroups.processes(instance.name):
            option = f" --instance {instance.number}" if instance.number else ""
            sys.exit(f"the cluster is down; `./dev cluster up{option}` starts it")
        print(instance.kubeconfig())
        return 0
    if os.geteuid() != 0:
        reason = "a cluster needs root, for namespaces and cgroups; run as root, or set KUBECONFIG to a cluster"
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
        return act_on_users_cluster(options.verb)
    return act_on_own_cluster(options, instance)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
