"""The experiments, by topic, that the scripted student submits in place of code written by a
model.
"""

from __future__ import annotations

from typing import Final

PROGRAMS: Final = {
    "balls": """\
import random


def experiment(arm, seed):
    draw = random.Random(seed)
    bins = [0] * 40
    for _ in range(40):
        place = draw.randrange(40)
        if arm == "two-choices":
            place = min(place, draw.randrange(40), key=lambda one: bins[one])
        bins[place] += 1
    return max(bins)
""",
    "search": """\
import random


def experiment(arm, seed):
    wanted = random.Random(seed).randrange(64)
    if arm == "linear":
        return wanted + 1
    low, high, looks = 0, 63, 0
    while low < high:
        looks += 1
        middle = (low + high) // 2
        if wanted <= middle:
            high = middle
        else:
            low = middle + 1
    return looks + 1
""",
    "pivot": """\
import random


def experiment(arm, seed):
    draw = random.Random(seed)
    return depth(list(range(30)), arm, draw)


def depth(items, arm, draw):
    if len(items) < 2:
        return 1
    pivot = items[0] if arm == "first-pivot" else draw.choice(items)
    less = [one for one in items if one < pivot]
    more = [one for one in items if one > pivot]
    return 1 + max(depth(less, arm, draw), depth(more, arm, draw))
""",
    "cache": """\
import random


def experiment(arm, seed):
    draw = random.Random(seed)
    kept, misses = [], 0
    for _ in range(60):
        page = min(draw.randrange(10), draw.randrange(10), draw.randrange(10))
        if page in kept:
            if arm == "lru":
                kept.remove(page)
                kept.append(page)
            continue
        misses += 1
        kept = [*kept, page][-4:]
    return misses
""",
    "list": """\
import random


def experiment(arm, seed):
    draw = random.Random(seed)
    items = list(range(20))
    draw.shuffle(items)
    looks = 0
    for _ in range(100):
        wanted = min(draw.randrange(20) for _ in range(4))
        place = items.index(wanted)
        looks += place + 1
        if arm == "move-to-front":
            items.insert(0, items.pop(place))
    return looks / 100
""",
    "secretary": """\
import random


def experiment(arm, seed):
    draw = random.Random(seed)
    first = 1 if arm == "look-at-one" else 7
    found = 0
    for _ in range(50):
        ranks = list(range(20))
        draw.shuffle(ranks)
        best = max(ranks[:first])
        taken = [one for one in ranks[first:] if one > best]
        found += bool(taken) and taken[0] == 19
    return found / 50
""",
    "backoff": """\
import random


def experiment(arm, seed):
    draw = random.Random(seed)
    turn, collisions = 0, 0
    waits = [[draw.randrange(4), 4] for _ in range(8)]
    while waits and turn < 2000:
        ready = [one for one in waits if one[0] <= turn]
        if len(ready) == 1:
            waits.remove(ready[0])
        elif ready:
            collisions += 1
            for one in ready:
                if arm == "doubling-wait":
                    one[1] *= 2
                one[0] = turn + 1 + draw.randrange(one[1])
        turn += 1
    return min(collisions, 400)
""",
    "climb": """\
import random


def experiment(arm, seed):
    draw = random.Random(seed)
    land = [draw.uniform(0, 100) for _ in range(200)]
    starts, steps = (1, 40) if arm == "one-climb" else (4, 10)
    best = 0
    for _ in range(starts):
        at = draw.randrange(1, 199)
        for _ in range(steps):
            at = max((at, max(at - 1, 0), min(at + 1, 199)), key=lambda one: land[one])
        best = max(best, land[at])
    return best
""",
    "union": """\
import random


def experiment(arm, seed):
    draw = random.Random(seed)
    parent = list(range(64))
    size = [1] * 64
    roots = list(range(64))
    while len(roots) > 1:
        first, second = draw.sample(roots, 2)
        if arm == "by-size" and size[first] < size[second]:
            first, second = second, first
        parent[second] = first
        size[first] += size[second]
        roots.remove(second)
    return max(depth(parent, one) for one in range(64))


def depth(parent, item):
    steps = 1
    while parent[item] != item:
        item = parent[item]
        steps += 1
    return steps
""",
    "sampling": """\
import random


def experiment(arm, seed):
    draw = random.Random(seed)
    numbers = [draw.uniform(0, 100) for _ in range(24)]
    mean = sum(numbers) / 24
    if arm == "with-replacement":
        taken = [draw.choice(numbers) for _ in range(12)]
    else:
        taken = draw.sample(numbers, 12)
    return abs(sum(taken) / 12 - mean)
""",
}
