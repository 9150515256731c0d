"""All optimizers step as TensorFlow's do, from the same parameters along the same gradients."""

import os
import random
import struct
import subprocess
import unittest

from interop import peers

PYTHON = peers.python("tensorflow")
PROGRAM = os.path.join(os.environ["CARRACK_BUILD"], "bin", "optimizer_steps")
STEPS, SIZE = 100, 1000

# Reads what optimizer_steps reads, and prints what it prints.
PEER = """
import os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
floats = lambda line: tf.constant([float.fromhex(word) for word in line.split()], tf.float32)
parameters, *gradients = map(floats, sys.stdin.read().splitlines())
name, *numbers = sys.argv[1:]
numbers = [float(number) for number in numbers]
def adamw(rate, beta1, beta2, epsilon, decay):
    return tf.keras.optimizers.AdamW(rate, decay, beta1, beta2, epsilon)
keras = tf.keras.optimizers
def rmsprop(rate, rho, epsilon):
    return keras.RMSprop(rate, rho, epsilon=epsilon)
optimizer = {"sgd": lambda rate, momentum, nesterov: keras.SGD(rate, momentum, bool(nesterov)), "rmsprop": rmsprop, "adam": keras.Adam, "adamw": adamw, "adagrad": keras.Adagrad}[name](*numbers)
variable = tf.Variable(parameters)
for gradient in gradients:
    optimizer.apply_gradients([(gradient, variable)])
    print(*(float(value).hex() for value in variable.numpy()))
"""


def single(value: float) -> float:
    return struct.unpack("f", struct.pack("f", value))[0]


def drawn() -> str:
    """Parameters around 1, then gradients of magnitudes from 1e-4 to 10, as hexadecimal floats."""
    numbers = random.Random(5)
    lines = [[numbers.uniform(-1, 1) for _ in range(SIZE)]]
    lines += [[numbers.gauss(0, 1) * 10 ** (4 - i % 6 - 3) for i in range(SIZE)] for _ in range(STEPS)]
    return "".join(" ".join(single(value).hex() for value in line) + "\n" for line in lines)


def steps(command: list[str], given: str) -> list[list[float]]:
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    return [[float.fromhex(word) for word in line.split()] for line in done.stdout.splitlines()]


class Optimizers(unittest.TestCase):
    def both(self, *arguments: str) -> tuple[list[list[float]], list[list[float]]]:
        given = drawn()
        ours, theirs = steps([PROGRAM, *arguments], given), steps([str(PYTHON), "-c", PEER, *arguments], given)
        self.assertEqual([len(line) for line in theirs], [SIZE] * STEPS)
        self.assertEqual(len(ours), STEPS)
        return ours, theirs

    def assert_near(self, rate: float, name: str, *numbers: str):
        """Agrees to a thousandth of a step."""
        ours, theirs = self.both(name, str(rate), *numbers)
        furthest = max(abs(a - b) for our, their in zip(ours, theirs) for a, b in zip(our, their))
        print(f"{name}: furthest apart after {STEPS} steps of {rate}: {furthest:.1e}")
        self.assertLess(furthest, 1e-3 * rate)

    def test_sgd_gives_the_same_bits(self):
        ours, theirs = self.both("sgd", "0.01", "0", "0")
        self.assertEqual(ours, theirs)

    def test_momentum_gives_the_same_bits(self):
        ours, theirs = self.both("sgd", "0.01", "0.9", "0")
        self.assertEqual(ours, theirs)

    def test_nesterov_gives_the_same_bits(self):
        ours, theirs = self.both("sgd", "0.01", "0.9", "1")
        self.assertEqual(ours, theirs)

    def test_rmsprop_gives_the_same_bits(self):
        ours, theirs = self.both("rmsprop", "0.01", "0.9", "1e-7")
        self.assertEqual(ours, theirs)

    def test_adam_agrees(self):
        self.assert_near(0.01, "adam", "0.9", "0.999", "1e-7")

    def test_adamw_agrees(self):
        self.assert_near(0.01, "adamw", "0.9", "0.999", "1e-7", "0.3")

    def test_adagrad_gives_the_same_bits(self):
        ours, theirs = self.both("adagrad", "0.01", "0.1", "1e-7")
        self.assertEqual(ours, theirs)


if __name__ == "__main__":
    unittest.main()
