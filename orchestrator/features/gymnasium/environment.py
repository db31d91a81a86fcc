# SPDX-License-Identifier: Apache-2.0
"""An environment whose episodes are copies of a network that was booted once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import gymnasium
from gymnasium.spaces import Space

from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.live import Live, Output, call, time_us
from orchestrator.words import did_you_mean

LIMIT_S = 60.0  # of real time, for each call of a user's function
MOST_TIMES = 16  # at which the network is kept, beside its boot and states with a name

Observation, Action = TypeVar("Observation"), TypeVar("Action")
Outputs = list[Output]


def _nothing(_: Live) -> None:
    """Prepare nothing."""


class Environment(gymnasium.Env[Observation, Action], Generic[Observation, Action]):
    """A simulated network on which a learner acts.

    `begin` opens the simulation, once; it is called at the first reset, in the process and thread that uses
    the environment. `act(live, action)` puts an action into force. Time then goes on by `step`: a length in
    us or as a text such as "10 s", or a function of (live, action) that goes on by itself and returns the
    output. `observe(live, outputs)` and `reward(live, action, outputs)` get what motes printed meanwhile.

    An episode begins at the simulated time `start`, and is truncated after `episode` (None: never).
    `ends(live, outputs)` says whether it has terminated. `begins(live)` prepares an episode, before its first
    observation. Each episode draws other random numbers, by the seed that reset() was given, unless `reseed`
    is False: then all of them draw those of the simulation itself.

    Every function of the user's may take `limit_s` seconds of real time.
    """

    metadata = {"render_modes": []}

    def __init__(
        self,
        begin: Callable[[], Live],
        *,
        action_space: Space[Action],
        observation_space: Space[Observation],
        act: Callable[[Live, Action], object],
        observe: Callable[[Live, Outputs], Observation],
        reward: Callable[[Live, Action, Outputs], float],
        step: int | str | Callable[[Live, Action], Outputs] = "1 s",
        start: int | str = 0,
        episode: int | str | None = None,
        ends: Callable[[Live, Outputs], bool] | None = None,
        begins: Callable[[Live], object] = _nothing,
        reseed: bool = True,
        limit_s: float | None = LIMIT_S,
    ):
        self.action_space, self.observation_space = action_space, observation_space
        self._begin, self._begins = begin, begins
        self._act, self._observe, self._reward, self._ends = act, observe, reward, ends
        self._step = step if callable(step) else time_us(step)
        self._start = time_us(start)
        self._length = None if episode is None else time_us(episode)
        self._reseed, self._limit_s = reseed, limit_s
        self._kept: dict[int, Live] = {}  # the network by simulated time, as nobody has acted on it
        self._named: dict[str, Live] = {}
        self._live: Live | None = None
        self._began_us = 0

    @property
    def live(self) -> Live:
        """The simulation of the present episode, at which more can be seen than is observed."""
        if self._live is None:
            raise WrongUsage("no episode has begun\n    call reset() first")
        return self._live

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode, and return its first observation.

        `options`: "at" is a simulated time, in place of `start`; "state" is a name that keep() was given. The
        network isn't booted again: it is copied as it was then. Raises WrongUsage and NoSuchThing for
        others, and what `begin` raises.
        """
        super().reset(seed=seed)
        state = self._state(options or {})
        number = int(self.np_random.integers(-(2**63), 2**63 - 1, endpoint=True)) if self._reseed else None
        if self._live is not None:
            self._live.close()
        self._live = state.fork(number)
        self._began_us = self._live.now_us
        self._call("begins", self._begins, self._live)
        return self._observed([]), self._facts()

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Act, let time go on, and return observation, reward, terminated, truncated and facts.

        The facts have the simulated time as "now_us". Raises SimulationEnded if a mote crashed, CallbackHung
        if a function took too long, and what the functions raise; reset() begins anew after all of these.
        """
        live = self.live
        self._call("act", self._act, live, action)
        if callable(self._step):
            outputs = self._call("step", self._step, live, action)
        else:
            outputs = live.step(by=self._step)
        observation = self._observed(outputs)
        reward = float(self._call("reward", self._reward, live, action, outputs))
        over = self._length is not None and live.now_us - self._began_us >= self._length
        terminated = self._ends is not None and bool(self._call("ends", self._ends, live, outputs))
        return observation, reward, terminated, over, self._facts()

    def keep(self, name: str) -> None:
        """Keep the network as it is now in this episode, for reset(options={"state": name})."""
        copied = self.live.fork()
        if (old := self._named.pop(name, None)) is not None:
            old.close()
        self._named[name] = copied

    def close(self) -> None:
        """End all simulations."""
        lives = [*self._kept.values(), *self._named.values(), *([self._live] if self._live else [])]
        self._kept, self._named, self._live = {}, {}, None
        for live in reversed(lives):
            live.close()

    def _state(self, options: dict[str, Any]) -> Live:
        """Return the simulation that an episode is copied from."""
        if unknown := options.keys() - {"at", "state"}:
            known = ("at", "state")
            raise WrongUsage(f"reset has no option {min(unknown)!r}; {did_you_mean(min(unknown), known)}")
        if {"at", "state"} <= options.keys():
            raise WrongUsage("a state with a name has its own time: give `at` or `state`")
        if "state" in options:
            name = options["state"]
            if name not in self._named:
                raise NoSuchThing(f"no state {name!r} was kept; {did_you_mean(str(name), self._named)}")
            return self._named[name]
        return self._at(time_us(options.get("at", self._start)))

    def _at(self, at: int) -> Live:
        """Return the network at a time; it goes on from the latest time at which it is kept."""
        if not self._kept:
            live = self._begin()
            self._kept[live.now_us] = live
        first = min(self._kept)
        if at < first:
            raise WrongUsage(f"the simulation was opened at {first} us, and {at} us is before that")
        if at not in self._kept:
            before = max(time for time in self._kept if time <= at)
            copied = self._kept[before].fork()
            try:
                copied.step(at)
            except BaseException:
                copied.close()
                raise
            self._kept[at] = copied
            others = [time for time in self._kept if time not in (first, at)]  # the longest unused is first
            if len(others) >= MOST_TIMES:
                self._kept.pop(others[0]).close()
        self._kept[at] = self._kept.pop(at)
        return self._kept[at]

    def _observed(self, outputs: Outputs) -> Observation:
        return self._call("observe", self._observe, self.live, outputs)

    def _facts(self) -> dict[str, Any]:
        return {"now_us": self.live.now_us}

    def _call(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401
        return call(f"the function `{name}` of the environment", function, *arguments, limit_s=self._limit_s)
