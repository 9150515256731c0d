"""Prints windows of four sensors of a pump, 32 steps each: machine.py COUNT SEED [FAULTS]."""
import json
import math
import random
import sys

SENSORS = {"temperature": (20, 40), "vibration": (0, 5), "pressure": (1, 8), "current": (0, 30)}  # least, range; in °C, mm/s, bar, A

def window(draw):
    speed, load, phase = draw.uniform(0.8, 1.2), draw.uniform(0.3, 1.0), draw.uniform(0, 6.28)
    steps = []
    for step in range(32):
        turn = phase + 0.4 * speed * step
        pressure = load + 0.2 * math.sin(turn)
        current = 0.8 * load + 0.3 * math.sin(turn - 0.7)
        vibration = 0.4 * speed * math.sin(2 * turn)
        temperature = 0.5 * load + 0.01 * step * load
        steps.append([value + draw.gauss(0, 0.02) for value in (temperature, vibration, pressure, current)])
    return steps

def break_sensor(draw, steps):
    """Returns what is broken: its readings stick, drift away, or jump."""
    sensor, kind, begin = draw.randrange(4), draw.choice(["sticks", "drifts", "jumps"]), draw.randrange(4, 16)
    for step in range(begin, 32):
        if kind == "sticks":
            steps[step][sensor] = steps[begin][sensor] + 0.3
        elif kind == "drifts":
            steps[step][sensor] += 0.04 * (step - begin)
        elif step < begin + 3:
            steps[step][sensor] += 0.8
    return f"{list(SENSORS)[sensor]} {kind}"

count, seed, faults = int(sys.argv[1]), int(sys.argv[2]), int((sys.argv + ["0"])[3])
draw = random.Random(seed)
broken = set(draw.sample(range(count), faults))
for number in range(count):
    steps = window(draw)
    state = break_sensor(draw, steps) if number in broken else "healthy"
    readings = [round(least + value * width, 3) for step in steps for value, (least, width) in zip(step, SENSORS.values())]
    print(json.dumps({"window": readings, "state": state}))
