"""TensorFlow's side of bench comm: rounds with a tf.distribute.Server in a process of its own, whose worker is this process.

    rounds BYTES SECONDS   finds out in which way they are fastest; then for each line of standard input measures that for so many
                           seconds, and prints how many rounds there are a second, the CPU time of both processes for each, and
                           after `way=` the number of variables and how many rounds one call has
    serve ADDRESS          is the server
"""

import os
import socket
import statistics
import subprocess
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

SERVER, WORKER = "/job:ps/task:0/device:CPU:0", "/job:worker/task:0/device:CPU:0"
RATE = 1 / 1024  # with the gradient and the rate of rounds.h no sum is rounded


def free_address() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{found.getsockname()[1]}"


def cpu_seconds(pids: list[int]) -> float:
    ticks = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as stat:
            ticks += sum(int(number) for number in stat.read().rpartition(")")[2].split()[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")


class Way:
    """The parameters in some variables, and a function of so many rounds, the last of which returns the parameters."""

    def __init__(self, size: int, parts: int, packed: int):
        self.parts, self.packed, self.rounds = parts, packed, 0
        gradient = (np.arange(size) % 7 - 3).astype(np.float32)
        with tf.device(WORKER):
            self.gradients = [tf.constant(part) for part in np.array_split(gradient, parts)]
        with tf.device(SERVER):
            self.variables = [tf.Variable(tf.zeros(part.shape)) for part in self.gradients]

        def one_round(gradients):
            with tf.device(SERVER):
                for variable, part in zip(self.variables, gradients):
                    tf.raw_ops.ResourceApplyGradientDescent(var=variable.handle, alpha=RATE, delta=part)
                values = [variable.read_value() for variable in self.variables]
            with tf.device(WORKER):
                return [tf.identity(value) for value in values]

        @tf.function
        def rounds(*gradients):
            if packed == 1:
                return one_round(gradients)
            values = list(gradients)
            for _ in tf.range(packed):
                values = one_round(gradients)
            return values

        self.function = rounds

    def call(self) -> None:
        self.values = self.function(*self.gradients)
        self.last = [value.numpy() for value in self.values]  # they are here; without a copy
        self.rounds += self.packed

    def seconds_of_rounds(self, seconds: float) -> list[float]:
        """Of each call, by its rounds."""
        times, end = [], time.perf_counter() + seconds
        while len(times) < 5 or time.perf_counter() < end:
            begun = time.perf_counter()
            self.call()
            times.append((time.perf_counter() - begun) / self.packed)
        return times

    def check(self) -> None:
        gradient = np.concatenate([part.numpy() for part in self.gradients])
        if not np.array_equal(np.concatenate(self.last), -np.float32(RATE) * gradient * np.float32(self.rounds)):
            sys.exit("comm_tensorflow.py: the parameters are wrong")


def measure(size: int, seconds: float) -> None:
    addresses = {"ps": [free_address()], "worker": [free_address()]}
    server = subprocess.Popen([sys.executable, __file__, "serve", addresses["ps"][0], addresses["worker"][0]])
    try:
        tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec(addresses), job_name="worker", task_index=0, protocol="grpc")
        several = max(2, min(128, 2**26 // (4 * size)))
        trials = {}
        for parts in (1, 4) if size > 4096 else (1,):
            for packed in (1, several):
                way = Way(size, parts, packed)
                way.call()
                trials[statistics.mean(way.seconds_of_rounds(seconds / 3))] = way
                way.check()
        best = trials[min(trials)]
        for _ in sys.stdin:
            pids = [os.getpid(), server.pid]
            before = cpu_seconds(pids), best.rounds
            times = best.seconds_of_rounds(seconds)
            cpu = (cpu_seconds(pids) - before[0]) / (best.rounds - before[1])
            print(1 / statistics.mean(times), f"p50_ms={statistics.median(times) * 1e3:.4g}", f"cpu_ms={cpu * 1e3:.4g}",
                  f"variables={best.parts}", f"packed={best.packed}", flush=True)
        best.check()
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    how, arguments = sys.argv[1], sys.argv[2:]
    if how == "serve":
        tf.distribute.Server(tf.train.ClusterSpec({"ps": [arguments[0]], "worker": [arguments[1]]}), job_name="ps", task_index=0,
                             protocol="grpc").join()
    else:
        measure(int(arguments[0]) // 4, float(arguments[1]))
