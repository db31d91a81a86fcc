# SPDX-License-Identifier: Apache-2.0
"""Random descriptions, and what the kernel is to make of them."""

from __future__ import annotations

import random

from orchestrator.csc.interfaces import STANDARD_INTERFACES

LARGEST = "1.7976931348623157e308"
LATEST = 2**53
NEEDED = ["ContikiMoteID", "ContikiClock"]
BITS = {name: bit for bit, name in enumerate(STANDARD_INTERFACES)}
MEDIA = ("udgm", "udgm-constant-loss", "logistic-loss", "log-distance", "directed-graph", "silent")


def g(*numbers: float) -> str:
    return " ".join(f"{number:.17g}" for number in numbers)


class Drawn:
    """A random description: its lines, and what is to be said of it."""

    def __init__(self, draw: random.Random):
        self.draw = draw
        self.lines, self.said = [], []
        rules, seed, delay = (
            draw.randrange(2),
            draw.randrange(-(2**63), 2**63),
            draw.choice([0, 1, 2**31 - 1]),
        )
        timeout = draw.choice([1, 5, LATEST])
        self.lines += [
            "simulation 1",
            f"rules {['5.0', '2026.07'][rules]}",
            f"seed {seed}",
            f"start-delay {delay}",
        ]
        medium = self.medium(name := draw.choice(MEDIA))
        spare, script = draw.choice([0, 1, 3]), draw.choice(["javascript", "program", "driven"])
        self.lines += [f"timeout {timeout}", f"spare {spare}"]
        room = draw.choice([3, 4, 1000])
        self.lines += [f"driven {room}"] if script == "driven" else [script]
        head = f"{rules} {seed} {delay} {timeout} {int(script == 'driven')} {int(script == 'program')}"
        types, motes = self.types(), self.motes()
        count = len(motes)
        self.behind(name, motes)
        capacity = count + spare * (1 if script == "driven" else len(types))
        of_type = [sum(mote[0] == kind for mote in motes) for kind in range(len(types))]
        self.said = [
            head,
            medium,
            f"{room if script == 'driven' else 1000} {capacity}",
            *(f"{one} {there} {there + spare}" for one, there in zip(types, of_type, strict=True)),
            *self.said,
        ]
        self.lines.append("end")

    def real(self) -> float:
        return self.draw.choice([0.0, -1.5, 1e300, -float(LARGEST), self.draw.uniform(-100, 100)])

    def medium(self, name: str) -> str:
        self.lines.append(f"medium {name}")
        if name in ("directed-graph", "silent"):
            return name
        ranges = [abs(self.real()), abs(self.real())]
        ratios = [self.draw.choice([0.0, 0.25, 1.0]) for _ in range(2)]
        self.lines += [f"ranges {ranges[0]} {ranges[1]}", f"ratios {ratios[0]} {ratios[1]}"]
        said = f"{name} {g(*ranges, *ratios)}"
        if name == "logistic-loss":
            loss, varies, on = (
                [self.real() for _ in range(4)],
                [self.real(), self.real()],
                self.draw.randrange(2),
            )
            self.lines += [
                "loss " + " ".join(map(str, loss)),
                f"varies {['no', 'yes'][on]} {varies[0]} {varies[1]}",
            ]
            said += f" {g(*loss)} {on} {g(*varies)}"
        if name == "log-distance":
            model = [self.draw.choice([0, 0.5, 1000]) for _ in range(7)]
            model[0], model[4] = self.draw.choice([-1000, -3.5, 1000]), self.draw.choice([-1000, -95, 1000])
            self.lines.append("distance " + " ".join(map(str, model)))
            said += f" {g(*model)}"
        return said

    def types(self) -> list[str]:
        """Each begins the line that is said of it; the last one has all interfaces."""
        found = []
        for number in range(self.draw.randrange(1, 4)):
            others = [one for one in STANDARD_INTERFACES if one not in NEEDED and self.draw.random() < 0.5]
            chosen = self.draw.sample([*NEEDED, *others], len(NEEDED) + len(others))
            if number == 0:
                chosen = self.draw.sample(STANDARD_INTERFACES, len(STANDARD_INTERFACES))
            self.lines += [f"type /a b/{number}", *(f"interface {one}" for one in chosen)]
            radio = chosen.index("ContikiRadio") if "ContikiRadio" in chosen else len(chosen)
            behind = [int(one in chosen[radio:]) for one in ("ContikiRS232", "ContikiClock")]
            bits = sum(1 << BITS[one] for one in chosen)
            found.append(f"type /a b/{number} {bits:x} {behind[0]} {behind[1]}")
            self.interfaces = [*getattr(self, "interfaces", []), chosen]
        return found

    def motes(self) -> list[list]:
        found = []
        for index in range(self.draw.choice([1, 2, 5, 70])):
            kind = self.draw.randrange(len(self.interfaces))
            number, place = self.draw.randrange(-(2**31), 2**31), [self.real() for _ in range(3)]
            has = self.interfaces[kind].__contains__
            image = self.draw.choice(["", "00ff", "5a" * 1024]) if has("ContikiEEPROM") else ""
            rate = self.draw.choice([None, 0.001, 250.5, 1e9]) if has("ContikiRadio") else None
            words = [kind, number, *place, image or "-", *([] if rate is None else [rate])]
            self.lines.append("mote " + " ".join(map(str, words)))
            found.append([kind, index, number, place, image, rate or 0, -100, -10, has("ContikiRadio")])
        return found

    def behind(self, medium: str, motes: list[list]) -> None:
        draw, with_radio = self.draw, [mote[1] for mote in motes if mote[-1]]
        for _ in range(draw.randrange(4) if with_radio else 0):
            index, strength, which = (
                draw.choice(with_radio),
                draw.choice([-55.9, 3.99, 1e20, -1e20]),
                draw.randrange(2),
            )
            self.lines.append(f"{['quiet', 'sending'][which]} {index} {strength}")
            motes[index][6 + which] = max(-(2**31), min(2**31 - 1, int(strength)))
        edges: dict[int, list[str]] = {}
        for source in draw.sample(with_radio, len(with_radio)) if medium == "directed-graph" else ():
            for _ in range(draw.choice([0, 1, 2, 30])):
                to, ratio, signal = draw.choice(with_radio), draw.choice([0.0, 0.5, 1.0]), self.real()
                lqi, delay, channel = (
                    draw.choice([-5, 105]),
                    draw.choice([0, 7, LATEST]),
                    draw.choice([-1, 26]),
                )
                self.lines.append(f"edge {source} {to} {ratio} {signal} {lqi} {delay} {channel}")
                edges.setdefault(source, []).append(f"edge {to} {g(ratio, signal)} {lqi} {delay} {channel}")
        for kind, index, number, place, image, rate, quiet, sending, _ in motes:
            self.said.append(f"mote {kind} {index} {number} {g(*place)} {image} {g(rate)} {quiet} {sending}")
            self.said += edges.get(index, [])
        for _ in range(draw.randrange(4)):
            self.lines.append("mobility")
            self.said.append("mobility 0 0")
            for _ in range(draw.choice([0, 1, 2, 70])):
                place, time = draw.choice([0, 3, 2**32 - 1]), draw.choice([-LATEST, -1, 0, 5, LATEST])
                x, y = self.real(), self.real()
                self.lines.append(f"move {place} {time} {x} {y}")
                self.said.append(f"move {place} {time} {g(x, y)}")
