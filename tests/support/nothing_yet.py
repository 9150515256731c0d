"""nothing_yet.py NAME: stands for a label that has no tests yet, so that asking for it says so and is counted."""

import sys

from support import machine

if __name__ == "__main__":
    machine.nothing_yet(sys.argv[1])
