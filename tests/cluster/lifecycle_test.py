"""`up` works from any state, and `down` leaves nothing behind; tested on an instance beside the developer's."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from cluster import access, cgroups, images, pods, programs
from cluster.instance import Instance
from support import machine

THIS = Instance(1)
COMMAND = [sys.executable, str(Path(__file__).resolve().parent), "--instance", str(THIS.number)]
UP_SECONDS = 30
DEAD_PROXY = {"http_proxy": "http://127.0.0.1:1", "https_proxy": "http://127.0.0.1:1"}  # must not be used
# Where container software writes outside of its configured folder.
HARD_CODED = """/etc/cni /opt/cni /run /run/netns /usr/libexec/kubernetes
                /var/lib /var/lib/cni /var/lib/kubelet /var/log""".split()
SETTINGS = """kernel.keys kernel.panic kernel.panic_on_oops vm.overcommit_memory vm.panic_on_oom
              net.ipv4.ip_forward net.netfilter.nf_conntrack_max""".split()


def cluster(verb: str) -> str:
    result = subprocess.run([*COMMAND, verb], env=os.environ | DEAD_PROXY, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise AssertionError(f"{verb} exits with {result.returncode}:\n{result.stdout}")
    return result.stdout


def traces() -> set[str]:
    """Everything on this machine that a cluster could leave changed, without the mounts of other container engines."""
    mounts = [line for line in Path("/proc/mounts").read_text().splitlines()
              if not any(f"/{engine}/" in line for engine in ("containers", "docker"))]
    folders = [folder for folder in map(Path, HARD_CODED) if folder.exists()]
    processes = [folder for folder in Path("/proc").iterdir() if folder.name.isdigit()]
    return {
        *(f"process {process.name}" for process in processes if _is_of_cluster(process)),
        *(f"mount {line}" for line in mounts),
        *(f"interface {name}" for name in os.listdir("/sys/class/net")),
        *(f"route {line}" for line in _output("ip", "route").splitlines()),
        *(f"packet filter {line}" for line in _output("nft", "list", "tables").splitlines()),
        *(f"cgroup {path}" for hierarchy in cgroups.of_this_machine() for path in hierarchy.mount.iterdir()),
        *(f"file {path}" for folder in folders for path in folder.iterdir()),
        *(f"setting {line}" for line in _output("sysctl", *SETTINGS).splitlines()),
    }


def _is_of_cluster(process: Path) -> bool:
    """Whether its cgroup or arguments name the instance: parts have its folder in them, pods its name."""
    try:
        return any(THIS.name in (process / file).read_text() for file in ("cgroup", "cmdline"))
    except (FileNotFoundError, ProcessLookupError):
        return False


def _output(*command: str) -> str:
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def kill(part: str) -> None:
    """Kills a part of the cluster with SIGKILL."""
    for pid in cgroups.processes(THIS.name):
        words = Path("/proc", str(pid), "cmdline").read_text().split("\0")
        if any(Path(word).name == part for word in words[:2]):
            os.kill(pid, signal.SIGKILL)
            return
    raise AssertionError(f"{part} is not running")


def run_pod(namespace: str, name: str) -> None:
    images.load(THIS, [images.archive("busybox")])
    script = f"echo a pod of {THIS.name}; sleep 3600"
    pod = pods.pod(name, pods.container("any", images.reference("busybox"), ["sh", "-c", script]))
    access.kubectl("create", "-n", namespace, "-f", "-", input=json.dumps(pod), instance=THIS)
    access.kubectl("wait", "-n", namespace, f"pod/{name}", "--for=condition=Ready", "--timeout=60s", instance=THIS)


class Lifecycle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0:
            machine.skip("starting a cluster needs root")
        programs.require_all()
        cluster("down")

    def setUp(self):
        self.before = traces()
        self.addCleanup(cluster, "down")

    def output_of_suggested_command(self, status: str) -> str:
        """The output of the command that `status` suggests."""
        _, _, command = status.partition("\nto use it: ")
        return _output("sh", "-c", command)

    def assert_down_leaves_nothing(self):
        cluster("down")
        self.assertEqual(traces() - self.before, set())
        self.assertFalse(THIS.folder.exists())

    def test_up_is_quick_and_harmless_when_repeated_and_down_leaves_nothing(self):
        began = time.monotonic()
        cluster("up")
        took = time.monotonic() - began
        print(f"up took {took:.1f} s; it may take {UP_SECONDS} s", flush=True)
        self.assertLess(took, UP_SECONDS)
        status = cluster("status")
        self.assertIn("node-1   Ready", status)
        self.assertIn("coredns", self.output_of_suggested_command(status))
        self.assertEqual(cluster("kubeconfig"), f"{THIS.kubeconfig()}\n")
        run_pod("default", "lives-on")

        began = time.monotonic()
        cluster("up")
        self.assertLess(time.monotonic() - began, 5)
        self.assertIn("1/1", access.kubectl("get", "pod", "lives-on", instance=THIS))

        visible = {trace.split()[0] for trace in traces() - self.before}
        self.assertLessEqual({"process", "interface", "route", "cgroup", "file"}, visible)
        self.assert_down_leaves_nothing()
        self.assert_down_leaves_nothing()

    def test_up_replaces_a_cluster_whose_supervisor_was_killed(self):
        cluster("up")
        run_pod("default", "ends")
        kill("supervisor.py")
        access.eventually("all ends with the supervisor", 10, lambda: not cgroups.processes(THIS.name))
        cluster("up")
        self.assertEqual(access.kubectl("get", "pods", instance=THIS), "")
        run_pod("default", "starts")
        self.assert_down_leaves_nothing()

    def test_up_finds_a_cluster_well_whose_parts_were_killed(self):
        cluster("up")
        run_pod("default", "lives-on")
        for part in ("containerd", "kube-apiserver", "kubelet"):
            kill(part)
        cluster("up")
        run_pod("default", "starts")
        # A kubelet that has just started may report a pod that it finds running as not ready, for a moment.
        access.eventually("both run, and neither was restarted", 30,
                          lambda: access.kubectl("get", "pods", instance=THIS).count("1/1     Running   0") == 2)
        self.assert_down_leaves_nothing()

    def test_up_after_an_interrupted_up(self):
        interrupted = subprocess.Popen([*COMMAND, "up"], stdout=subprocess.DEVNULL)
        access.eventually("the parts are starting", 20, THIS.status_file.exists)
        interrupted.kill()
        interrupted.wait()
        cluster("up")
        run_pod("default", "starts")
        self.assert_down_leaves_nothing()

    def test_down_after_the_supervisor_was_killed(self):
        cluster("up")
        kill("supervisor.py")
        self.assert_down_leaves_nothing()


if __name__ == "__main__":
    unittest.main(verbosity=2)
