# SPDX-License-Identifier: Apache-2.0
"""Runs scripts natively over played lines, without motes: the counterpart of nashorn_play.py for what the
kernel interprets.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from orchestrator.csc import javascript, macros
from orchestrator.engines.embedded.script.compiler import compiled
from tests.engines.engine_harness import built_once
from tests.engines.nashorn_play import LINES

# Every program of the first file, which ends with "end", takes the lines of the second, "ID TIME TEXT", and
# runs in a process of its own, and what it logs stands before its byte 1.
HARNESS = r"""
#include "base/report.h"
#include "script/program.h"
#include "script/script.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

_Noreturn void watch_log_full(void) { _exit(1); }
int __lsan_do_recoverable_leak_check(void);

static struct simulation *simulation;
static struct mote *mote;
static char *text;

static void play(struct program *program, FILE *lines)
{
  size_t size = 0;
  ssize_t length;

  simulation = calloc(1, sizeof(*simulation));
  mote = calloc(1, sizeof(*mote));
  log_open(&simulation->log, "/dev/stdout", 1 << 20);
  alarm(60);
  simulation->script = calloc(1, sizeof(*simulation->script));
  simulation->script->program = program;
  while(!simulation->log.closed && (length = getline(&text, &size, lines)) > 0) {
    char *rest;
    mote->id = (int)strtol(text, &rest, 10);
    simulation->queue.now = strtoll(rest, &rest, 10);
    text[length - 1] = 0;
    program_line(simulation, mote, rest + 1, strlen(rest + 1));
    memset(text, '#', (size_t)length); /* a mote's next line takes its place */
  }
  if(!simulation->log.closed) {
    program_timeout(simulation);
  }
  log_append(&simulation->log, simulation->script->failed ? "TEST FAILED\n" : "TEST OK\n", simulation->script->failed ? 12 : 8);
  if(getenv("LEAKS") != NULL && __lsan_do_recoverable_leak_check() != 0) {
    log_append(&simulation->log, "A LEAK\n", 7);
  }
  log_flush(&simulation->log);
  _exit(0);
}

int main(int count, char **arguments)
{
  struct reader reader = {.file = fopen(arguments[1], "r"), .name = "the program"};
  (void)count;
  next_line(&reader);
  while(is(&reader, "program")) {
    struct program *program = program_read(&reader);
    pid_t child = fork();
    if(child == 0) {
      play(program, fopen(arguments[2], "r"));
    }
    waitpid(child, NULL, 0);
    if(write(1, "\n\1\n", 3) != 3) {
      return 1;
    }
  }
  _exit(0); /* programs are never freed */
}
"""  # noqa: E501
PARTS = (
    "script/program.c",
    "script/program_read.c",
    "motes/serial.c",
    "script/functions.c",
    "script/value.c",
    "script/map.c",
    "script/methods.c",
    "script/list_methods.c",
    "script/operators.c",
    "script/number_text.c",
    "base/text.c",
    "base/memory.c",
    "base/log.c",
    "base/reader.c",
    "base/report.c",
)
BEYOND = '{"report":"error","kind":"beyond"'


def harness(folder: Path) -> Path:
    return built_once(folder, HARNESS, PARTS)


def program(text: str) -> list[str] | None:
    """None if it doesn't run natively."""
    try:
        script, missing = javascript.read([javascript.Part(text, "s.js", 1)])
    except (macros.Misread, javascript.Refused):
        return None
    return None if missing else compiled(script)


def play(player: Path, programs: list[list[str]], lines=LINES) -> list[str]:
    """What each logs; text that begins with BEYOND where the interpreter has to do it."""
    described, spoken = player.parent / "programs", player.parent / "lines"
    described.write_text("".join("\n".join(one) + "\n" for one in programs) + "end\n", encoding="ascii")
    spoken.write_text("".join(f"{number} {time} {said}\n" for number, time, said in lines), encoding="utf-8")
    done = subprocess.run([player, described, spoken], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    logs = done.stdout.decode("utf-8").split("\n\1\n")
    assert len(logs) == len(programs) + 1, done.stderr.decode()[-2000:]
    beyond = [(log.rfind(BEYOND), log) for log in logs[:-1]]
    return [log[at:] if at >= 0 else log for at, log in beyond]
