"""Prints the windows that the model restores worse than any healthy one: find.py HEALTHY TODAY, lines of carrack predict."""
import json
import sys

SENSORS = ["temperature", "vibration", "pressure", "current"]
healthy, today = ([json.loads(line) for line in open(path)] for path in sys.argv[1:])
limit = 1.5 * max(line["loss"] for line in healthy)
usual = [sum(line["errors"][i] for line in healthy) / len(healthy) for i in range(4)]
for line in today:
    if line["loss"] > limit:
        worst = max(range(4), key=lambda i: line["errors"][i] / usual[i])
        print(f"window {line['record']}: {SENSORS[worst]}, {line['loss'] / limit:.0f} times the limit")
