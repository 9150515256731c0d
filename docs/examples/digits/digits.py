"""Prints pictures of digits, 8 x 8 grey values from 0 to 1, each with its digit: digits.py COUNT SEED.

Each is drawn from strokes that are moved, slanted and stretched at random, with a pen of random width, and noise.
"""
import json
import math
import random
import sys

# For each digit lines between points of a square of 2 x 2 around 0.
STROKES = {
    0: "-.6,-.9 .6,-.9 .6,.9 -.6,.9 -.6,-.9",
    1: "-.4,-.5 .1,-.9 .1,.9",
    2: "-.6,-.7 0,-.9 .6,-.6 .5,-.1 -.6,.9 .7,.9",
    3: "-.6,-.9 .5,-.9 0,-.1 .6,.4 .2,.9 -.6,.8",
    4: "-.1,-.9 -.7,.3 .7,.3 .3,.3 .3,-.3 .3,.9",
    5: ".6,-.9 -.5,-.9 -.5,-.1 .3,-.2 .6,.4 .2,.9 -.6,.8",
    6: ".4,-.9 -.4,-.2 -.6,.5 0,.9 .6,.5 .2,.1 -.5,.3",
    7: "-.6,-.9 .6,-.9 0,.9",
    8: "0,-.1 -.5,-.5 0,-.9 .5,-.5 0,-.1 -.6,.5 0,.9 .6,.5 0,-.1",
    9: "-.4,.9 .4,.2 .6,-.5 0,-.9 -.6,-.5 -.2,-.1 .5,-.3",
}

def lines_of(digit):
    points = [tuple(map(float, point.split(","))) for point in STROKES[digit].split()]
    return list(zip(points, points[1:]))

def distance(point, line):
    (x, y), ((ax, ay), (bx, by)) = point, line
    along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
    along = min(1, max(0, along))
    return math.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay))

def picture(draw, digit):
    wide, high, slant = draw.uniform(2.2, 3.4), draw.uniform(2.8, 3.8), draw.uniform(-.35, .35)
    left, top, pen, noise = 3.5 + draw.gauss(0, .5), 3.5 + draw.gauss(0, .4), draw.uniform(.15, .35), draw.uniform(0, .15)
    bent = {point: (point[0] + draw.gauss(0, .12), point[1] + draw.gauss(0, .12)) for line in lines_of(digit) for point in line}
    lines = [(bent[begin], bent[end]) for begin, end in lines_of(digit)]
    pixels = []
    for row in range(8):
        for column in range(8):
            y = (row - top) / high
            x = (column - left) / wide - slant * y
            ink = max(0, 1 - max(0, min(distance((x, y), line) for line in lines) - pen / 2) / pen)
            pixels.append(round(min(1, max(0, ink + draw.gauss(0, noise))), 2))
    return pixels

count, seed = map(int, sys.argv[1:])
draw = random.Random(seed)
for number in range(count):
    digit = draw.randrange(10)
    print(json.dumps({"pixels": picture(draw, digit), "digit": digit}))
