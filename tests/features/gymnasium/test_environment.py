# SPDX-License-Identifier: Apache-2.0
"""A learner acts on a simulated network; episodes begin with a network that was booted once."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete
from gymnasium.utils.env_checker import check_env

from orchestrator.csc.model import Udgm
from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.features.gymnasium import Environment
from orchestrator.live import CallbackHung, Live, LiveMote, SimulationEnded, Stage
from tests import needs
from tests.engines.engine_firmware import compile_firmware

needs.a_compiler()

# Every 10 ms mote 1 sends frames as often as `pace` says; mote 2 counts what it hears. It crashes at pace 9.
BODY = """
int32_t pace = 1, heard, boots;
void cooja_tick(void) {
  if(first()) { boots++; SAY("boot %d\\n", simMoteID); etimer(10); return; }
  if(!simReceiving && simInSize > 0) { heard++; SAY("heard\\n"); simInSize = 0; }
  if(due()) {
    static int turn;
    etimer(10);
    if(pace == 9) *(volatile int *)8 = 1;
    if(simMoteID == 1 && pace > 0 && turn++ % pace == 0) simOutSize = 20;
  }
}"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compile_firmware(tmp_path_factory.mktemp("firmware"), "paced", BODY)


@pytest.fixture
def make(library):
    """make(**changes) -> an environment, and how often its simulation was begun."""
    made = []

    def begin() -> Live:
        made[-1].begun += 1
        live = Live(
            Stage(Udgm(50.0, 70.0, 1.0, 0.5), 3, None), [LiveMote(library, 1), LiveMote(library, 2, 45)]
        )
        live.listen(2)
        return live

    def make(**changes) -> Environment:
        options = {
            "action_space": Discrete(10),
            "observation_space": Box(0, 1e6, (2,), np.float32),
            "act": lambda live, action: live.write_variable(1, "pace", int(action), "i"),
            "observe": lambda live, outputs: np.array(
                [live.read_variable(2, "heard", "i"), len(outputs)], np.float32
            ),
            "reward": lambda live, action, outputs: len(outputs),
            "step": "100 ms",
            "start": "200 ms",
            "episode": "500 ms",
        }
        made.append(Environment(begin, **{**options, **changes}))
        made[-1].begun = 0
        return made[-1]

    yield make
    for one in made:
        one.close()


def play(env, actions, **reset):
    """The observations, rewards and times of an episode."""
    first, facts = env.reset(**reset)
    seen = [(first.tolist(), facts["now_us"])]
    for action in actions:
        observation, reward, terminated, truncated, facts = env.step(action)
        seen.append((observation.tolist(), reward, terminated, truncated, facts["now_us"]))
    return seen


def test_gymnasium_s_own_check_finds_nothing(make):
    check_env(make(action_space=Discrete(5)), skip_render_check=True)


def test_episodes_begin_where_they_are_told_to_and_boot_nothing(make):
    env = make()
    one = play(env, [1, 2, 5, 0, 1], seed=4)
    again = play(env, [1, 2, 5, 0, 1], seed=4)
    other = play(env, [1, 2, 5, 0, 1])
    assert one == again != other and env.begun == 1
    assert one[0][1] == 200_000 and one[-1][-1] == 700_000
    assert [step[3] for step in one[1:]] == [False] * 4 + [True], "truncated at the end"
    assert env.live.read_variable(1, "boots", "i") == 1
    assert one[1][1] > one[3][1] >= one[4][1], "fewer frames are heard where fewer are sent"


def test_an_episode_may_begin_at_any_time_and_state(make):
    env = make(reseed=False)
    assert play(env, [], options={"at": "350 ms"})[0][1] == 350_000
    late = play(env, [1, 1], options={"at": 400_000})
    assert play(env, [1, 1], options={"at": "50 ms"})[0][1] == 50_000, "also before those so far"
    assert play(env, [1, 1], options={"at": 400_000}) == late
    through = play(env, [1, 1, 1, 1])
    assert through[2][0][0] == late[0][0][0], "the network at that time is the same"
    env.step(0)
    env.keep("quiet")
    at = env.live.now_us
    env.step(1)
    assert play(env, [], options={"state": "quiet"})[0][1] == at and env.begun == 1


def test_more_times_than_are_kept(make):
    env = make(reseed=False)
    first = play(env, [], options={"at": 10_000})
    for time_us in range(20_000, 600_000, 20_000):
        env.reset(options={"at": time_us})
    assert play(env, [], options={"at": 10_000}) == first and env.begun == 1


def test_a_step_may_be_a_function(make):
    env = make(step=lambda live, action: live.advance(live.now_us + 50_000 * (1 + int(action)), False))
    assert [one[-1] for one in play(env, [0, 1, 2])[1:]] == [250_000, 350_000, 500_000]


def test_an_episode_terminates_by_a_function_of_the_user_s(make):
    env = make(ends=lambda live, outputs: live.read_variable(2, "heard", "i") > 25)
    ends = [one[2] for one in play(env, [1] * 5)[1:]]
    assert ends == sorted(ends) and ends[-1] and not ends[0]


def test_faults_are_named_and_the_next_episode_begins(make):
    env = make()
    with pytest.raises(WrongUsage, match="reset"):
        env.step(1)
    for options, error in (
        ({"att": 1}, WrongUsage),
        ({"at": 1, "state": "x"}, WrongUsage),
        ({"state": "x"}, NoSuchThing),
        ({"at": "soon"}, WrongUsage),
    ):
        with pytest.raises(error):
            env.reset(options=options)
    env.reset(seed=1)
    with pytest.raises(SimulationEnded, match="SIGSEGV"):
        env.step(9)
    assert play(env, [1], seed=1)[1][0][0] > 0


def test_functions_that_raise_or_never_return(make):
    broken = make(reward=lambda *_: {}["mine"])
    broken.reset()
    with pytest.raises(KeyError, match="mine"):
        broken.step(1)
    hanging = make(observe=lambda *_: time.sleep(1000), limit_s=0.2)
    with pytest.raises(CallbackHung, match="`observe`"):
        hanging.reset()


def test_nothing_is_left_when_it_is_closed(make):
    env = make()
    play(env, [1])
    env.keep("here")
    processes = [env.live.process.pid]
    env.close()
    for pid in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert play(env, [1])[0][1] == 200_000 and env.begun == 2
