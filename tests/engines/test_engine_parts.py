# SPDX-License-Identifier: Apache-2.0
"""Parts of the kernel by themselves: random numbers, the event queue, the frame check sequence, text."""

from __future__ import annotations

import binascii
import json
import random
import subprocess

import pytest
from engine_firmware import JavaRandom
from engine_harness import build_harness
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tier import examples

RANDOM_MAIN = r"""
#include "base/java_random.h"
#include <inttypes.h>
#include <stdio.h>
int main(void) {
  struct java_random random;
  int64_t number;
  char order;
  while(scanf(" %c %" SCNd64, &order, &number) == 2) {
    switch(order) {
    case 's': java_random_seed(&random, number); break;
    case 'n': printf("%" PRId32 "\n", java_random_next(&random, (int)number)); break;
    case 'i': printf("%" PRId32 "\n", java_random_int(&random, (int32_t)number)); break;
    case 'd': printf("%a\n", java_random_double(&random)); break;
    case 'g': printf("%a\n", java_random_gaussian(&random)); break;
    }
  }
  return 0;
}
"""
QUEUE_MAIN = r"""
#include "events/event_queue.h"
#include "base/report.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
_Noreturn void report_error(enum error_kind kind, const char *format, ...) { (void)kind; (void)format; abort(); }
int main(void) {
  static struct event events[100];
  static struct event_queue queue;
  int64_t number, time;
  char order;
  queue_init(&queue);
  for(int i = 0; i < 100; i++) event_init(&events[i]);
  while(scanf(" %c %" SCNd64 " %" SCNd64, &order, &number, &time) == 3) {
    if(order == 'i') queue_insert(&queue, &events[number], time);
    if(order == 'w') queue_wake(&queue, &events[number], time);
    if(order == 'p') queue_put_back(&queue, &events[number], time);
    if(order == 'b') printf("%" PRId64 "\n", queue_bound(&queue));
    if(order == 't') {
      struct event *event = queue_take(&queue);
      if(event == NULL) printf("none\n");
      else printf("%d %" PRId64 " %" PRId64 "\n", (int)(event - events), event->time, queue.now);
    }
  }
  return 0;
}
"""  # noqa: E501
FCS_MAIN = r"""
#include "radio/fcs.h"
#include <stdio.h>
int main(void) {
  uint8_t bytes[300];
  size_t size = fread(bytes, 1, 290, stdin);
  fcs_append(bytes, size);
  printf("%02x%02x\n", bytes[size], bytes[size + 1]);
  return 0;
}
"""
ENOUGH = 1500  # bytes of room
# What it is told: what to add, the room in the buffer, a number, bytes in hexadecimal digits.
TEXT_MAIN = r"""
#include "base/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  char order, digits[1000], bytes[500], buffer[2000];
  size_t room;
  int64_t number;
  while(scanf(" %c %zu %" SCNd64 " %999s", &order, &room, &number, digits) == 4) {
    struct text text = { buffer, 0, room };
    size_t count = strlen(digits + 1) / 2;
    for(size_t i = 0; i < count; i++) sscanf(digits + 1 + 2 * i, "%2hhx", (unsigned char *)&bytes[i]);
    bytes[count] = '\0';
    memset(buffer, '#', sizeof(buffer));
    switch(order) {
    case 'b': text_add_bytes(&text, bytes, count); break;
    case 's': text_add(&text, bytes); break;
    case 'n': text_add_number(&text, number); break;
    case 'x': text_add_hex(&text, (uint64_t)number); break;
    case 'm': text_add_member(&text, bytes, number); break;
    case 'j': text_add_json(&text, bytes, count); break;
    }
    if(text.used > room || buffer[room] != '#' || buffer[text.used] != '#') return 1;
    for(size_t i = 0; i < text.used; i++) printf("%02x", (unsigned char)buffer[i]);
    printf("\n");
  }
  return 0;
}
"""


@pytest.fixture(scope="module")
def harness(tmp_path_factory):
    def build(source, *parts):
        program = build_harness(tmp_path_factory.mktemp("harness"), source, parts)

        def call(text):
            data = text if isinstance(text, bytes) else text.encode()
            return (
                subprocess.run([program], input=data, capture_output=True, check=True)
                .stdout.decode()
                .split("\n")[:-1]
            )

        return call

    return build


@pytest.fixture(scope="module")
def random_numbers(harness):
    return harness(RANDOM_MAIN, "base/java_random.c")


@pytest.fixture(scope="module")
def queue(harness):
    return harness(QUEUE_MAIN, "events/event_queue.c", "base/memory.c")


@pytest.fixture(scope="module")
def fcs(harness):
    return harness(FCS_MAIN, "radio/fcs.c")


@pytest.fixture(scope="module")
def written(harness):
    call = harness(TEXT_MAIN, "base/text.c")

    def written(*asked: tuple[str, int, int, bytes]) -> list[bytes]:
        """What each call of (order, room, number, bytes) adds."""
        lines = call(
            "".join(f"{order} {room} {number} x{data.hex()}\n" for order, room, number, data in asked)
        )
        return [bytes.fromhex(line) for line in lines]

    return written


def test_numbers_that_a_jvm_printed(random_numbers):
    """Printed by java.util.Random of OpenJDK 25."""
    assert random_numbers("s 42" + " n 32" * 5) == [
        "-1170105035",
        "234785527",
        "-1360544799",
        "205897768",
        "1325939940",
    ]
    assert random_numbers("s 42" + " i 10" * 10) == list("0384055893")
    assert [float.fromhex(x) for x in random_numbers("s 42" + " d 0" * 3)] == [
        0.7275636800328681,
        0.6832234717598454,
        0.30871945533265976,
    ]
    assert random_numbers("s -7" + " i 1048576" * 4) == ["282194", "945288", "705881", "991790"]
    assert random_numbers(f"s {2**50}" + " i 1500000000" * 4) == [
        "516548029",
        "1302116447",
        "1368843515",
        "663681053",
    ]


def test_normally_distributed_numbers_that_a_jvm_printed(random_numbers):
    """By the same. The pair before the last two lies outside of the unit circle and is drawn again; a seed
    forgets the one kept.
    """
    assert [float.fromhex(x) for x in random_numbers("s -7" + " g 0" * 8)] == [
        -1.1860262593274535,
        0.8896355203316739,
        0.07207057524014324,
        1.1801067715873763,
        -0.8529129767446793,
        -0.08186279420862214,
        1.9413977414569221,
        1.5109304069804204,
    ]
    assert [float.fromhex(x) for x in random_numbers("s -7 g 0 s -7 g 0 d 0 g 0")] == [
        -1.1860262593274535,
        -1.1860262593274535,
        0.5214896372918163,
        0.8896355203316739,
    ]


@settings(max_examples=examples(40), deadline=None)
@given(
    st.integers(-(2**63), 2**63 - 1),
    st.lists(
        st.tuples(st.just("i"), st.integers(1, 2**31 - 1))
        | st.just(("d", 0))
        | st.tuples(st.just("n"), st.integers(1, 32)),
        min_size=1,
        max_size=50,
    ),
)
def test_random_numbers_follow_the_documented_algorithm(random_numbers, seed, orders):
    model = JavaRandom(seed)
    ours = random_numbers(f"s {seed} " + " ".join(f"{order} {number}" for order, number in orders))
    for (order, number), text in zip(orders, ours, strict=True):
        if order == "d":
            assert float.fromhex(text) == model.next_double()
        else:
            assert int(text) == (model.next_int(number) if order == "i" else model.next(number))


class QueueModel:
    """Cooja's rules by a plain list."""

    def __init__(self):
        self.queued, self.count, self.now, self.taken = {}, 0, 0, None

    def insert(self, event, time):
        self.queued[event] = (time, self.count)
        self.count += 1

    def wake(self, event, time):
        if event not in self.queued or self.queued[event][0] > time:
            self.insert(event, time)

    def put_back(self):
        self.queued[self.taken] = (self.now, -self.count)
        self.count += 1

    def take(self):
        if not self.queued:
            return "none"
        event = self.taken = min(self.queued, key=self.queued.get)
        self.now = self.queued.pop(event)[0]
        return f"{event} {self.now} {self.now}"


OFFSETS = (
    st.integers(-3, 12) | st.integers(-700, 700) | st.integers(-70_000, 2**25) | st.integers(0, 2**60)
)  # us


@settings(max_examples=examples(200), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("iwwwttp"), st.integers(0, 30), OFFSETS, st.booleans()), max_size=300)
)
def test_events_come_by_time_then_by_insertion(queue, orders):
    assert_as_modelled(queue, orders, 31)


def assert_as_modelled(queue, orders, events: int) -> None:
    """Give the queue these orders (order, event, offset from now, at_now), then take all that is left."""
    model, text, expected = QueueModel(), [], []
    for order, event, offset, at_now in [*orders, *[("t", 0, 0, False)] * events]:
        time = model.now if at_now else model.now + offset
        if order == "p":
            if model.taken is not None and model.taken not in model.queued:
                text.append(f"p {model.taken} {model.now}")
                model.put_back()
            continue
        text.append(f"{order} {event} {time}")
        if order == "i":
            model.insert(event, time)
        elif order == "w":
            model.wake(event, time)
        else:
            expected.append(model.take())
    assert queue("\n".join(text)) == expected


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.tuples(st.sampled_from("iiwt"), st.integers(0, 30), OFFSETS), max_size=100))
def test_no_event_comes_before_the_queue_s_bound(queue, orders):
    """Whoever runs ahead of the queue relies on it. An event in the past comes at once."""
    model, text, first, latest = QueueModel(), [], [], 0
    for order, event, offset in orders:
        time = model.now + offset
        text.append(f"{order} {event} {time}")
        if order == "i":
            model.insert(event, time)
        elif order == "w":
            model.wake(event, time)
        elif model.queued:
            model.take()
            latest = max(latest, model.now)
        text.append("b 0 0")
        first.append(max(latest, min((each for each, _ in model.queued.values()), default=2**63 - 1)))
    answers = [line for line in queue("\n".join(text)) if line != "none" and " " not in line]
    bounds = [int(line) for line in answers]
    assert len(bounds) == len(first)
    assert all(bound <= time for bound, time in zip(bounds, first, strict=True))


@pytest.mark.parametrize("seed", range(6))
def test_a_long_run_of_events_comes_in_order(queue, seed):
    """Hundreds come at one time, go back in time or lie years ahead; timers are set, woken early and set
    again, for the same time or another.
    """
    draw = random.Random(seed)
    orders, periods = [], [1, 7, 255, 256, 1000, 65_535, 65_536, 2**24, 2**40, 2**55]
    for _ in range(40):
        burst, period = draw.choice("itwpm"), draw.choice(periods)
        for _ in range(draw.choice([5, 60, 300])):
            event, taken = draw.randrange(100), draw.random() < 0.4
            if burst == "p":  # the past
                orders.append(("i", event, -draw.randrange(1, 6), False))
            elif burst == "m":  # the same few times, from any moment
                orders.append((draw.choice("iw"), event, draw.randrange(4) * period, False))
            else:
                at_now = draw.random() < 0.3
                orders.append(("w" if burst == "w" else "i", event, draw.randrange(period), at_now))
            if taken or burst == "t":
                orders.append(("t", 0, 0, False))
    assert_as_modelled(queue, orders, 100)


@settings(max_examples=examples(30), deadline=None)
@given(st.binary(max_size=127))
def test_the_frame_check_sequence(fcs, data):
    """Of the same polynomial as the CRC of BinHex, but with the bits reversed."""
    reversed_bits = bytes(int(f"{byte:08b}"[::-1], 2) for byte in data)
    crc = int(f"{binascii.crc_hqx(reversed_bits, 0):016b}"[::-1], 2)
    assert fcs(data) == [crc.to_bytes(2, "little").hex()]


@settings(max_examples=examples(10), deadline=None)
@given(st.lists(st.text(max_size=60), min_size=20, max_size=40))
def test_any_text_is_read_back(written, texts):
    assert [json.loads(one) for one in written(*(("j", ENOUGH, 0, text.encode()) for text in texts))] == texts
