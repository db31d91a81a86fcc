# SPDX-License-Identifier: Apache-2.0
"""The blackboard's core built for the host, in each of the three storage concepts, and played against the
model.
"""

from __future__ import annotations

import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

import blackboard_model as model
import c_tests

from tests.waiting import HANG_S

FOLDER = c_tests.MIDDLEWARE / "blackboard"
CORE = tuple(sorted(path for path in FOLDER.glob("*.c") if path.name != "blackboard-thread.c"))
CONCEPTS = ("static", "dynamic", "combined")
# six subscribers of one condition each: what is for sub-events is not compiled
SIX = "combined without sub-events"
FRAME_PLACES = 6

# name, type, values, subscribers
EVENTS = (("A", "UNSIGNED", 1, 6), ("B", "SIGNED", 3, 9), ("C", "FIXED", 2, 6), ("D", "UNSIGNED", 1, 2))
CONDITIONS, CHANGES, QUEUE = 4, 3, 5
DYNAMIC_PLACES = 14  # fewer than all that are declared


@dataclass(frozen=True)
class Build:
    concept: str
    program: Path


def build(folder: Path, concept: str, main: str = "blackboard_main") -> Build:
    """The program of unit/MAIN.c with the core in that concept."""
    configuration = folder / f"{concept}-conf.h"
    events = [(*event[:3], 6) for event in EVENTS] if concept == SIX else EVENTS
    listed = " ".join(f"X({', '.join(map(str, event))})" for event in events)
    values = sum(event[2] for event in EVENTS)
    configuration.write_text(
        f"#define BLACKBOARD_CONF_EVENTS(X) {listed}\n"
        f"#define BLACKBOARD_CONF_CONCEPT {1 + CONCEPTS.index(concept.split()[0])}\n"
        f"#define BLACKBOARD_CONF_CONDITIONS {0 if concept == SIX else CONDITIONS}\n#define "
        f"BLACKBOARD_CONF_CHANGES {CHANGES}\n"
        f"#define BLACKBOARD_CONF_QUEUE {QUEUE}\n#define BLACKBOARD_CONF_DYNAMIC_WORDS "
        f"{values + 4 * DYNAMIC_PLACES}\n"
        "#define BLACKBOARD_CONF_ALONE\n"
    )
    program = folder / f"{main}-{concept}"
    command = [
        c_tests.compiler(),
        *c_tests.WARNINGS,
        "-g",
        "-O1",
        *c_tests.SANITIZE,
        f"-I{c_tests.HOST}",
        f"-I{FOLDER}",
        "-include",
        configuration,
        *CORE,
        Path(__file__).parent / "unit" / f"{main}.c",
        "-o",
        program,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Build(concept, program)


def room(concept: str) -> model.Room:
    """What a concept has room for, by its section of the paper, whatever came before."""

    def declared(usage):  # what one event doesn't use, is no other's
        return (
            all(subscriptions <= event[3] for (subscriptions, _), event in zip(usage, EVENTS))
            and sum(links for _, links in usage) <= CONDITIONS
        )

    def dynamic(usage):
        links = sum(links for _, links in usage)
        return declared(usage) and sum(subscriptions for subscriptions, _ in usage) + links <= DYNAMIC_PLACES

    def six(usage):
        return all(subscriptions <= FRAME_PLACES and links == 0 for subscriptions, links in usage)

    return {"static": declared, "dynamic": dynamic, "combined": declared, SIX: six}[concept]


def board(concept: str) -> model.Board:
    events = [(kind != "UNSIGNED", values) for _, kind, values, _ in EVENTS]
    return model.Board(events, room(concept), CHANGES, QUEUE, concept == "dynamic")


def play(built: Build, steps: list[tuple]) -> None:
    """Let both do the steps; they must say the same of each."""
    told = board(built.concept)
    expected = [told.start()]
    for name, *arguments in steps:
        expected.append(getattr(told, name)(*arguments))
    text = "\n".join(map(words, steps)) + "\n"
    done = subprocess.run(
        [built.program], input=text, capture_output=True, text=True, timeout=HANG_S, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    lines = iter(done.stdout.splitlines())
    compare(expected, steps, lines)
    counted = dict(line.split() for line in lines)
    assert {name: int(counted[name]) for name in told.counts} == told.counts
    assert int(counted["words_used"]) <= int(counted["words"])


def compare(expected: list[list[str]], steps: list[tuple], lines) -> None:
    for number, wanted in enumerate(expected):
        step = steps[number - 1] if number else ("start",)
        if step[0] == "run":
            got = _of_a_run(lines)
        else:
            got = [next(lines) for _ in wanted]
        assert got == wanted, (
            f"step {number}: {step}: {got}, not {wanted}\nafter {steps[max(0, number - 6) : number - 1]}"
        )


def _of_a_run(lines) -> list[str]:
    """Notifications sorted, a callback beside its own: their order is the concept's."""
    others, noticed, results = [], [], []
    for line in lines:
        if line[0] == "n":
            noticed.append(line)
        elif line[0] == "c":
            noticed[-1] += f" | {line}"
        elif line[0] == "w":
            others.append(line)
        elif line[0] == "r":
            results.append(line)
        else:
            return [*others, *sorted(noticed), *results, line]
    raise AssertionError("the program ended in a run")


def words(step: tuple) -> str:
    name, *arguments = step
    if name in ("direct", "request"):
        what, *rest = arguments
        return f"{name[0] if name == 'direct' else 'q'}{what} " + " ".join(
            each.words() if isinstance(each, model.Wish) else str(each) for each in rest
        )
    letter = {
        "run": "r",
        "poll": "p",
        "read": "v",
        "block": "b",
        "unblock": "u",
        "thread": "t",
        "caller": "c",
    }[name]
    return f"{letter} " + " ".join(str(int(each)) for each in arguments)


def wish(rng: random.Random) -> model.Wish:
    near = [0, 1, 2, 5, 9, 10, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 5, 3 * 65536, 2**32 - 65536]
    conditions = tuple(
        (rng.choice((0, 1, 2, 3, 4, 5, 6, 7)), rng.choice(near))
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 2, 3)))
    )
    notification = rng.choice((1, 2, 3, 5, 6, 7))
    if rng.random() < 0.02:
        return model.Wish(rng.choice((0, 4)), 9, 0, 0, ())
    if rng.random() < 0.02:
        conditions = ((8, 1),)
    handler = model.HANDLERS if rng.random() < 0.03 else rng.randrange(model.HANDLERS)
    thread = rng.choice((0, 1, 2, 3, 9))
    deadline = rng.choice((0, 100, 10_000)) if thread < model.THREADS or rng.random() < 0.05 else 0
    if rng.random() < 0.02:
        deadline = rng.choice((model.FARTHEST - 1, model.FARTHEST, 2**31, 2**32 - 1))
    return model.Wish(notification, thread, deadline, handler, conditions)


def random_steps(seed: int, number: int):
    """So many steps, most of them the five commands; commands that meet a blocked event among them."""
    rng, now = random.Random(seed), 0
    values = [0, 1, 2, 3, 6, 9, 10, 11, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 4, 3 * 65536, 2**32 - 65536]
    steps = []
    alive = set(range(model.THREADS))
    eager = 0.0
    while len(steps) < number:
        now += rng.randrange(300)
        if len(steps) % 500 == 0:
            eager = rng.random()  # times of growth and of decline
        event = rng.randrange(len(EVENTS)) if rng.random() < 0.99 else rng.choice((len(EVENTS), 255))
        count = (
            rng.choice((0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))
            if rng.random() < 0.99
            else rng.choice((253, 254, 255))
        )
        how = rng.choice(("direct", "request"))
        chance = rng.random()
        if chance < 0.35:
            steps.append((how, "V", now, event, rng.choice(values)))
        elif chance < 0.35 + 0.25 * eager:
            steps.append((how, "S", now, event, wish(rng)))
        elif chance < 0.60:
            steps.append((how, "U", now, event, count))
        elif chance < 0.66:
            steps.append((how, "M", now, event, count, wish(rng)))
        elif chance < 0.72:
            steps.append((how, "P", now, event, count, rng.randrange(2)))
        elif chance < 0.88:
            steps.append(("run", now + rng.choice((0, 0, 50, 20_000))))
        elif chance < 0.92:
            steps.append(("poll", event, count))
        elif chance < 0.95:
            steps.append(("read", event, rng.choice((0, 1, 2, 3, 255))))
        elif chance < 0.98:
            # What needs room elsewhere may have to wait for gaps of the blocked event, of which the model
            # knows nothing.
            more = rng.choice(
                [
                    ("V", now, rng.randrange(len(EVENTS)), 7),
                    ("V", now, event, 8),
                    ("U", now, event, count),
                    ("P", now, event, count, 1),
                    ("S", now, event, wish(rng)),
                ]
            )
            blocker = rng.choice([model.A_PROCESS, *sorted(alive)])  # only who runs calls anything
            steps += [
                ("run", now),
                ("caller", blocker),
                ("block", event),
                (how, *more),
                ("request", "V", now, rng.randrange(len(EVENTS)), 9),
                ("run", now),
                ("caller", rng.choice((blocker, rng.randrange(-1, model.THREADS)))),
                ("unblock", event),
            ]
            if rng.random() < 0.3:  # who blocks it stops
                stops = rng.randrange(model.THREADS)
                alive.discard(stops)
                steps += [("run", now), ("thread", stops, False), ("run", now), ("read", event, 0)]
            if rng.random() < 0.8:
                steps += [("caller", blocker), ("unblock", event)]
        else:
            which, runs = rng.randrange(model.THREADS), rng.random() < 0.6
            (alive.add if runs else alive.discard)(which)
            steps.append(("thread", which, runs))
    return steps
