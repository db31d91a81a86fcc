# SPDX-License-Identifier: Apache-2.0
"""What the kernel reads of a description: all of it, and of each number up to its bounds."""

from __future__ import annotations

import random

import pytest
from drawn_descriptions import LARGEST, LATEST, Drawn
from engine_harness import build_harness, told

# Reads one description after the other, and says all that it made of each, or what is wrong with it.
MAIN = r"""
#include "run/description.h"
#include "base/memory.h"
#include "base/report.h"
#include "operation/mobility.h"
#include "radio/log_distance.h"
#include "radio/logistic_loss.h"
#include "radio/medium.h"
#include "script/program.h"
#include "script/script.h"
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
const struct medium_rules unit_disk, constant_loss, logistic_loss, log_distance, directed_graph, silent;
static jmp_buf refused;
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }
_Noreturn void report_error(enum error_kind kind, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  printf("%d ", (int)kind);
  vprintf(format, arguments);
  va_end(arguments);
  longjmp(refused, 1);
}
struct program *program_read(struct reader *reader) { next_line(reader); return (struct program *)reader; }
#define NAME(text) static const char *const NAMES[] = {ABI_INTERFACES(text)};
int abi_interface(const char *name) {
#define QUOTED(one) #one,
  static const char *const names[] = {ABI_INTERFACES(QUOTED)};
  for(int i = 0; i < ABI_INTERFACE_COUNT; i++) if(strcmp(names[i], name) == 0) return i;
  return -1;
}
static const char *medium_name(const struct medium_rules *rules) {
  return rules == &unit_disk ? "udgm" : rules == &constant_loss ? "udgm-constant-loss" : rules == &logistic_loss ? "logistic-loss"
    : rules == &log_distance ? "log-distance" : rules == &directed_graph ? "directed-graph" : rules == &silent ? "silent" : "?";
}
static void say(const struct simulation *simulation) {
  const struct medium *medium = simulation->medium;
  const struct script *script = simulation->script;
  printf("%d %" PRId64 " %d %" PRId64 " %d %d|%s", medium->rules_2026_07, simulation->seed, simulation->start_delay_us, script->timeout_us,
         script->driven, script->program != NULL, medium_name(medium->rules));
  if(medium->rules != &directed_graph && medium->rules != &silent)
    printf(" %.17g %.17g %.17g %.17g", medium->transmission_range, medium->interference_range, medium->transmission_ratio, medium->reception_ratio);
  if(medium->logistic != NULL)
    printf(" %.17g %.17g %.17g %.17g %d %.17g %.17g", medium->logistic->sensitivity, medium->logistic->inflection, medium->logistic->exponent,
           medium->logistic->noise, medium->logistic->variation.on, medium->logistic->variation.least, medium->logistic->variation.most);
  if(medium->log_distance != NULL)
    printf(" %.17g %.17g %.17g %.17g %.17g %.17g %.17g", medium->log_distance->reference, medium->log_distance->exponent,
           medium->log_distance->shadowing, medium->log_distance->asymmetry, medium->log_distance->sensitivity, medium->log_distance->width,
           medium->log_distance->capture);
  printf("|%u %u", simulation->type_capacity, simulation->mote_capacity);
  for(uint32_t i = 0; i < simulation->type_count; i++) {
    const struct mote_type *type = &simulation->types[i];
    printf("|type %s %x %d %d %u %u", type->path, type->interfaces, type->serial_after_radio, type->clock_after_radio, type->motes, type->capacity);
  }
  for(uint32_t i = 0; i < simulation->mote_count; i++) {
    const struct mote *mote = &simulation->motes[i];
    printf("|mote %d %u %d %.17g %.17g %.17g ", (int)(mote->type - simulation->types), mote->index, mote->id, mote->x, mote->y, mote->z);
    for(uint32_t k = 0; k < mote->eeprom_size; k++) printf("%02x", mote->eeprom[k]);
    printf(" %.17g %d %d", mote->rate_kbps, mote->quiet_dbm, mote->sending_dbm);
    for(uint32_t k = 0; medium->edges != NULL && i < medium->edge_sources && k < medium->edges[i].count; k++) {
      const struct edge *edge = &medium->edges[i].list[k];
      printf("|edge %u %.17g %.17g %d %" PRId64 " %d", edge->mote, edge->ratio, edge->signal, edge->lqi, edge->delay, edge->channel);
    }
  }
  for(uint32_t i = 0; i < simulation->mobility_count; i++) {
    const struct mobility *mobility = &simulation->mobility[i];
    printf("|mobility %u %" PRId64, mobility->next, mobility->start);
    for(uint32_t k = 0; k < mobility->count; k++)
      printf("|move %u %" PRId64 " %.17g %.17g", mobility->moves[k].place, mobility->moves[k].time, mobility->moves[k].x, mobility->moves[k].y);
  }
}
int main(void) {
  static char text[1 << 22], line[1 << 16];
  while(fgets(line, sizeof(line), stdin) != NULL) {
    struct medium medium = {0};
    struct script script = {0};
    struct simulation simulation = {.medium = &medium, .script = &script};
    size_t used = 0;
    FILE *file;
    for(; strcmp(line, "%%\n") != 0; used += strlen(line), fgets(line, sizeof(line), stdin)) strcpy(text + used, line);
    file = fmemopen(text, used, "r");
    if(setjmp(refused) == 0) {
      description_read(file, &simulation);
      say(&simulation);
      if(simulation.mote_capacity >= simulation.mote_count) memset(simulation.motes + simulation.mote_count, 0, (simulation.mote_capacity + 1 - simulation.mote_count) * sizeof(struct mote));
    }
    printf("\n");
  }
  return 0;
}
"""  # noqa: E501


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """What it says of each description, which is a list of lines."""
    program = build_harness(
        tmp_path_factory.mktemp("description"), MAIN, ("run/description.c", "base/reader.c", "base/memory.c")
    )
    return lambda descriptions: told(
        program, "".join("".join(f"{line}\n" for line in one) + "%%\n" for one in descriptions)
    )


def test_all_of_it_is_read(read):
    drawn = [Drawn(random.Random(number)) for number in range(300)]
    for one, said in zip(drawn, read([one.lines for one in drawn]), strict=True):
        assert said.split("|") == one.said


# A description with every kind of line; {..} stands for what is tried there.
RADIO = [
    "type /a",
    *(f"interface {one}" for one in ("ContikiMoteID", "ContikiClock", "ContikiRadio", "ContikiEEPROM")),
]
BARE = ["type /b", "interface ContikiMoteID", "interface ContikiClock"]
MOTES = ["mote 0 1 0 0 0 -", "mote 0 2 0 0 0 -", "mote 1 3 0 0 0 -"]


def whole(medium: list[str], behind: list[str], **instead: str) -> list[str]:
    lines = {
        "simulation": "simulation 1",
        "rules": "rules 5.0",
        "seed": "seed 1",
        "start-delay": "start-delay 0",
        "timeout": "timeout 1",
        "spare": "spare 0",
        "javascript": "javascript",
    }
    lines |= {name.replace("_", "-"): line for name, line in instead.items()}
    values = list(lines.values())
    return [*values[:4], *medium, *values[4:], *RADIO, *BARE, *MOTES, *behind, "end"]


SILENT, GRAPH = ["medium silent"], ["medium directed-graph"]
HEAD = whole(SILENT, [])[:8]
DISK = ["medium udgm", "ranges 1 1", "ratios 1 1"]
LOGISTIC = ["medium logistic-loss", *DISK[1:], "loss 1 1 1 1", "varies yes 1 1"]
DISTANCE = ["medium log-distance", *DISK[1:], "distance 1 1 1 1 1 1 1"]
EDGE, OF_BARE = "edge 0 1 1 -10 105 0 -1", "edge 0 2 1 -10 105 0 -1"
INT = (-(2**31), 2**31 - 1)
LENGTH = (f"-{LARGEST}", LARGEST)
# Each line, where it stands, its number's word, and the bounds of that number, which are inside.
NUMBERS = [
    (whole(SILENT, []), "simulation 1", 1, (1, 1)),
    (whole(SILENT, []), "seed 1", 1, (-(2**63), 2**63 - 1)),
    (whole(SILENT, []), "start-delay 0", 1, (0, 2**31 - 1)),
    (whole(SILENT, []), "timeout 1", 1, (1, LATEST)),
    (whole(SILENT, []), "spare 0", 1, (0, 100_000)),
    ([*HEAD[:7], "driven 5", "end"], "driven 5", 1, (0, 1000)),
    *((whole(DISK, []), "ranges 1 1", word, (0, LARGEST)) for word in (1, 2)),
    *((whole(DISK, []), "ratios 1 1", word, (0, 1)) for word in (1, 2)),
    *((whole(LOGISTIC, []), "loss 1 1 1 1", word, LENGTH) for word in (1, 2, 3, 4)),
    *((whole(LOGISTIC, []), "varies yes 1 1", word, LENGTH) for word in (2, 3)),
    *((whole(DISTANCE, []), DISTANCE[-1], word, (-1000, 1000)) for word in (1, 5)),
    *((whole(DISTANCE, []), DISTANCE[-1], word, (0, 1000)) for word in (2, 3, 4, 6, 7)),
    (whole(SILENT, ["mobility"]), MOTES[1], 1, (0, 1)),
    (whole(SILENT, ["mobility"]), MOTES[1], 2, INT),
    *((whole(SILENT, ["mobility"]), MOTES[1], word, LENGTH) for word in (3, 4, 5)),
    (whole(SILENT, ["mote 0 4 0 0 0 - 250"]), "mote 0 4 0 0 0 - 250", 6 + 1, ("0.001", "1e9")),
    *((whole(SILENT, [f"{kind} 1 -90"]), f"{kind} 1 -90", 1, (0, 1)) for kind in ("quiet", "sending")),
    *((whole(SILENT, [f"{kind} 1 -90"]), f"{kind} 1 -90", 2, LENGTH) for kind in ("quiet", "sending")),
    *((whole(GRAPH, [EDGE]), EDGE, word, bounds)
      for word, bounds in enumerate(((0, 1), (0, 1), (0, 1), LENGTH, INT, (0, LATEST), INT), 1)),
    *((whole(SILENT, ["mobility", "move 0 1 1 1"]), "move 0 1 1 1", word, bounds)
      for word, bounds in ((1, (0, 2**32 - 1)), (2, (-LATEST, LATEST)), (3, LENGTH), (4, LENGTH))),
]  # fmt: skip


def outside(bound: str | int, step: int) -> str:
    """The next number beyond it."""
    if str(bound).endswith(LARGEST):
        return ("-" if step < 0 else "") + "1e309"
    if isinstance(bound, int):
        return str(bound + step)
    return {"0.001": "0.00099999", "1e9": "1000000000.5"}[bound]


def test_each_number_up_to_its_bounds(read):
    """One that goes beyond is named by its line."""
    asked, expected = [], []
    for lines, line, word, (least, most) in NUMBERS:
        at = lines.index(line)

        def with_word(text, lines=lines, at=at, word=word):
            words = lines[at].split(" ")
            words[word] = str(text)
            return [*lines[:at], " ".join(words), *lines[at + 1 :]]

        for inside in (least, most):
            asked.append(with_word(inside))
            expected.append(None)
        for beyond in (outside(least, -1), outside(most, 1)):
            asked.append(with_word(beyond))
            expected.append(f"2 line {at + 1} of the simulation's description: ")
        for other in ("x", "1x", ""):
            asked.append(with_word(other))
            expected.append(f"2 line {at + 1} of the simulation's description: ")
    for lines, wanted, said in zip(asked, expected, read(asked), strict=True):
        assert (said[:2] != "2 ") if wanted is None else said.startswith(wanted), (lines, said)


NEEDED_ONCE = {
    *(
        "simulation",
        "rules",
        "seed",
        "start-delay",
        "medium",
        "ranges",
        "ratios",
        "loss",
        "varies",
        "distance",
    ),
    *("timeout", "spare", "javascript", "driven", "end"),
}


def test_nothing_follows_a_line(read):
    """And none may be missing, in any order but this."""
    every = {
        "silent": whole(SILENT, ["quiet 0 1", "mobility", "move 0 0 0 0"]),
        "disk": whole(DISK, []),
        "logistic": whole(LOGISTIC, []),
        "distance": whole(DISTANCE, []),
        "graph": whole(GRAPH, ["sending 0 1", EDGE, EDGE]),
        "driven": whole(SILENT, [], javascript="driven 5"),
    }
    accepted = read(every.values())
    assert not any(said.startswith("2 ") for said in accepted)
    for lines in every.values():
        longer = [
            [*lines[:at], f"{line} more", *lines[at + 1 :]]
            for at, line in enumerate(lines)
            if not line.startswith(("type", "mote"))
        ]
        for more, said in zip(longer, read(longer), strict=True):
            at = next(at for at, line in enumerate(more) if line.endswith(" more"))
            assert said.startswith(f"2 line {at + 1} of the simulation's description: something follows"), (
                said
            )
        needed = [at for at, line in enumerate(lines) if line.split()[0] in NEEDED_ONCE]
        for said in read([lines[:at] + lines[at + 1 :] for at in needed]):
            assert said.startswith("2 line ")


LONG, BARE_MOTE = "mote 0 1 0 0 0 " + "00" * 1025, "mote 1 1 0 0 0 {}"
WRONG = {
    "an unknown medium": (whole(["medium disk"], []), "medium disk"),
    "an interface that the embedded engine doesn't have": ([*HEAD, "type /a", "interface LED"], None),
    "an interface that the type has already": ([*HEAD, *RADIO[:4], "interface ContikiClock"], None),
    "the mote type before it needs the interfaces ContikiMoteID and ContikiClock": (
        [*HEAD, *RADIO[:2], "mote 0 1 0 0 0 -"],
        None,
    ),
    "too many mote types": ([*HEAD[:7], "driven 1", *RADIO, "type /b"], None),
    "EEPROM content for a mote type without the interface ContikiEEPROM": (
        whole(SILENT, [BARE_MOTE.format("aa")]),
        BARE_MOTE.format("aa"),
    ),
    "EEPROM content of more than 1024 bytes": (whole(SILENT, [LONG]), LONG),
    "a bit rate for a mote type without the interface ContikiRadio": (
        whole(SILENT, [BARE_MOTE.format("- 250")]),
        BARE_MOTE.format("- 250"),
    ),
    "an edge of a mote without the interface ContikiRadio": (
        whole(GRAPH, [OF_BARE]),
        OF_BARE,
    ),
    "something follows that doesn't belong there": (
        whole(SILENT, ["mote 0 1 0 0 0 - 250 more"]),
        "mote 0 1 0 0 0 - 250 more",
    ),
    "this medium has no edges": (whole(DISK, [EDGE]), EDGE),
    "edges of this mote stand further up": (
        whole(GRAPH, [f"edge {a} 1 1 -10 105 0 {n}" for n, a in enumerate((0, 1, 0))]),
        "edge 0 1 1 -10 105 0 2",
    ),
    "another keyword is expected here (see description.h)": (whole(SILENT, ["move 0 1 1 1"]), "move 0 1 1 1"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_may_not_be(what, read):
    lines, line = WRONG[what]
    number = len(lines) if line is None else lines.index(line) + 1
    assert read([lines]) == [f"2 line {number} of the simulation's description: {what}"]


def test_a_thousand_types_and_no_more(read):
    types = [line for number in range(1000) for line in (f"type /{number}", *BARE[1:])]
    most = [*HEAD, *types, "mote 999 1 0 0 0 -", "end"]
    (said,) = read([most])
    assert [one.split(" ")[1] for one in said.split("|")[3:-1]] == [f"/{number}" for number in range(1000)]
    assert said.split("|")[-1].startswith("mote 999 ")
    (said,) = read([[*most[:-2], "type /more", *BARE[1:], "end"]])
    assert said == f"2 line {len(most) - 1} of the simulation's description: too many mote types"


def test_motes_of_edges_are_among_those_that_are_there(read):
    behind = [EDGE.replace("0 1", "3 1", 1), EDGE.replace("0 1", "0 3", 1), "quiet 3 1", "sending 3 1"]
    last = "mote 0 4 0 0 0 -"
    assert not any(said.startswith("2 ") for said in read(whole(GRAPH, [last, line]) for line in behind))
    for said in read(whole(GRAPH, [line]) for line in behind):
        assert said == "2 line 20 of the simulation's description: a number out of its range"
