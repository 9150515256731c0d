"""Draws the worst window, as its sensor has read it and as the model restores it: draw.py HEALTHY TODAY PREDICTED.

HEALTHY and TODAY are what machine.py has printed, PREDICTED is what carrack predict prints for TODAY.
"""
import json
import math
import sys

SENSORS = {"temperature": "°C", "vibration": "mm/s", "pressure": "bar", "current": "A"}
ROWS = 12

def column(windows, sensor):
    """All readings of a sensor."""
    return [reading for window in windows for reading in window["window"][sensor::4]]

healthy, today, predicted = ([json.loads(line) for line in open(path)] for path in sys.argv[1:])
worst = max(predicted, key=lambda line: line["loss"])
sensor = max(range(4), key=lambda i: worst["errors"][i])
# The model restores in deviations from the mean of what it was trained with.
usual = column(healthy, sensor)
mean = sum(usual) / len(usual)
deviation = math.sqrt(sum((reading - mean) ** 2 for reading in usual) / len(usual))
read = column([today[worst["record"]]], sensor)
restored = [mean + deviation * step[sensor] for step in worst["output"]]

low, high = min(read + restored), max(read + restored)
picture = [[" "] * 64 for _ in range(ROWS)]
for readings, mark in (restored, "."), (read, "o"):
    for step, reading in enumerate(readings):
        picture[round((high - reading) / (high - low) * (ROWS - 1))][2 * step] = mark
name, unit = list(SENSORS.items())[sensor]
print(f"window {worst['record']}, {name} in {unit}: o read, . restored by the model")
for row, line in enumerate(picture):
    label = f"{high - row * (high - low) / (ROWS - 1):8.1f}" if row % 3 == 0 or row == ROWS - 1 else " " * 8
    print(f"{label} | {''.join(line).rstrip()}")
