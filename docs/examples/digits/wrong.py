"""Prints how often a digit was taken for another one, the most frequent mistakes first: wrong.py PICTURES PREDICTED."""
import collections
import json
import sys

pictures, predicted = ([json.loads(line) for line in open(path)] for path in sys.argv[1:])
pairs = ((picture["digit"], line["class"]) for picture, line in zip(pictures, predicted))
mistakes = collections.Counter((digit, read) for digit, read in pairs if digit != read)
for (digit, read), count in mistakes.most_common(3):
    print(f"{digit} read as {read}: {count} times")
