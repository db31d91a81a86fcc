/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulates Cooja motes: kernel --log FILE [--limit SECONDS] [--log-limit BYTES] [--parent PID] < description
 *
 * Writes the log as COOJA.testlog and one line of JSON to standard output
 * (report.h). --parent: end with that process; --radio, --stop-mote and
 * --stop-at: observer.h, breakpoint.h; --debugger: a listening socket for a debugger of the emulated mote --stop-mote (debugger.h); --quickjs and
 * --prelude: the interpreter of scripts (javascript.h); --door: the socket of the process that drives the simulation (door.h), and then --limit
 * is of the processor time of each of its steps; --contain 1: a mote's fault ends that mote, not the process;
 * --outside: the file with what is outside of the simulation, --control: the socket that goes with it (outside.h). For comparison,
 * with the same bytes in the log:
 * --every-tick 1 skips no tick, --code-per-mote 1 gives every mote a copy of the code. --guards 1 puts an unreadable page
 * behind each mote's data, which is slower; an access past the data is then stopped at once, and otherwise may be noticed
 * later, with the report "overrun".
 *
 * --cycles: a file for where the cycles of emulated motes passed (cycles.h).
 */
#include "base/report.h"
#include "observation/breakpoint.h"
#include "observation/observer.h"
#include "observation/power_tracker.h"
#include "observation/processors.h"
#include "observation/watch.h"
#include "run/capacity.h"
#include "run/description.h"
#include "run/door.h"
#include "outside/outside.h"
#include "radio/medium.h"
#include "run/run.h"
#include "script/end_script.h"
#include "script/javascript.h"
#include "script/script.h"
#include "script/script_files.h"
#include "sky/cycles.h"
#include "sky/debugger.h"
#include "sky/sky.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

struct arguments {
  const char *log, *radio, *air, *cycles, *breakpoint_mote;
  struct interpreter interpreter;
  double limit_s;
  int64_t log_limit; /* bytes */
  int64_t parent, every_tick, every_slice, code_per_mote, guards, door, contain, outside, control, breakpoint_us, debugger;
};

static const struct {
  const char *name;
  enum { TEXT, WHOLE, REAL } kind;
  size_t offset; /* in struct arguments */
} ARGUMENTS[] = {
  {"--log", TEXT, offsetof(struct arguments, log)},
  {"--radio", TEXT, offsetof(struct arguments, radio)},
  {"--air", TEXT, offsetof(struct arguments, air)},
  {"--cycles", TEXT, offsetof(struct arguments, cycles)},
  {"--stop-mote", TEXT, offsetof(struct arguments, breakpoint_mote)},
  {"--stop-at", WHOLE, offsetof(struct arguments, breakpoint_us)},
  {"--debugger", WHOLE, offsetof(struct arguments, debugger)},
  {"--limit", REAL, offsetof(struct arguments, limit_s)},
  {"--log-limit", WHOLE, offsetof(struct arguments, log_limit)},
  {"--parent", WHOLE, offsetof(struct arguments, parent)},
  {"--quickjs", TEXT, offsetof(struct arguments, interpreter.module)},
  {"--prelude", TEXT, offsetof(struct arguments, interpreter.folder)},
  {"--door", WHOLE, offsetof(struct arguments, door)},
  {"--contain", WHOLE, offsetof(struct arguments, contain)},
  {"--outside", WHOLE, offsetof(struct arguments, outside)},
  {"--control", WHOLE, offsetof(struct arguments, control)},
  {"--code-per-mote", WHOLE, offsetof(struct arguments, code_per_mote)},
  {"--guards", WHOLE, offsetof(struct arguments, guards)},
  {"--every-tick", WHOLE, offsetof(struct arguments, every_tick)},
  {"--every-slice", WHOLE, offsetof(struct arguments, every_slice)},
};
enum { ARGUMENT_COUNT = sizeof(ARGUMENTS) / sizeof(ARGUMENTS[0]) };

static void
read_argument(struct arguments *arguments, const char *name, const char *text)
{
  size_t i = 0;
  char *to, *end = NULL;

  while(i < ARGUMENT_COUNT && strcmp(ARGUMENTS[i].name, name) != 0) {
    i++;
  }
  if(i == ARGUMENT_COUNT) {
    report_error(ERROR_DESCRIPTION, "unknown argument %s; usage: --log FILE [--limit SECONDS] [--log-limit BYTES] "
                 "[--parent PID] [--air FILE] [--radio FOLDER] [--cycles FILE] [--stop-mote ID] [--stop-at US] [--debugger SOCKET] [--quickjs MODULE] [--prelude FOLDER] "
                 "[--door SOCKET] [--contain 1] [--outside FILE] [--control SOCKET] [--every-tick 1] [--every-slice 1] [--code-per-mote 1] [--guards 1]", name);
  }
  to = (char *)arguments + ARGUMENTS[i].offset;
  switch(ARGUMENTS[i].kind) {
  case TEXT: *(const char **)to = text; break;
  case WHOLE: *(int64_t *)to = strtoll(text, &end, 10); break;
  case REAL: *(double *)to = strtod(text, &end); break;
  }
  if(end != NULL && *end != 0) {
    report_error(ERROR_DESCRIPTION, "%s needs a number, not %s", name, text);
  }
}

static struct arguments
read_arguments(int count, char **words)
{
  struct arguments arguments = {0};

  for(int i = 1; i < count; i += 2) {
    if(i + 1 == count) {
      report_error(ERROR_DESCRIPTION, "%s needs a value", words[i]);
    }
    read_argument(&arguments, words[i], words[i + 1]);
  }
  if(arguments.log == NULL) {
    report_error(ERROR_DESCRIPTION, "--log FILE is missing");
  }
  return arguments;
}

static void
end_with_parent(int64_t parent)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if(parent != 0 && getppid() != parent) {
    leave(EXIT_KERNEL); /* it ended before we could ask */
  }
}

/* The motes of a type share one copy of its code, or each has its own. */
static int64_t
code_copies(const struct simulation *simulation)
{
  int64_t count = 0;

  for(uint32_t i = 0; i < simulation->type_count; i++) {
    const struct mote_type *type = &simulation->types[i];
    count += type->motes > 0 && (type->is_sky || type->firmware.shares_code) ? 1 : type->motes;
  }
  return count;
}

/* The memory in bytes, at the end, when it is largest, because nothing is freed before. In this count (proportional set
   size) code that all motes share counts once; getrusage() counts it for every mote, and also counts our parent's memory
   when it started us. */
static int64_t
peak_memory(void)
{
  int64_t proportional = capacity_number("/proc/self/smaps_rollup", "Pss:", -1);

  return 1024 * (proportional >= 0 ? proportional : capacity_number("/proc/self/status", "VmHWM:", -1));
}

static void
report_end(const struct simulation *simulation, bool ok, double loaded_s)
{
  char line[8192];
  struct text json = {line, 0, sizeof(line)};

  text_add(&json, "{\"report\":\"end\",\"verdict\":");
  text_add(&json, ok ? "true" : "false");
  text_add_member(&json, "sim_us", simulation->queue.now);
  text_add_member(&json, "events", (int64_t)simulation->events);
  text_add_member(&json, "ticks", (int64_t)(simulation->ran + simulation->skipped));
  text_add_member(&json, "skipped", (int64_t)simulation->skipped);
  text_add_member(&json, "lines", (int64_t)simulation->lines);
  text_add_member(&json, "code_copies", code_copies(simulation));
  text_add_member(&json, "transmissions", (int64_t)simulation->medium->transmissions);
  text_add_member(&json, "receptions", (int64_t)simulation->medium->receptions);
  text_add_member(&json, "interferences", (int64_t)simulation->medium->interferences);
  text_add_member(&json, "queue_steps", (int64_t)simulation->queue.steps);
  text_add_member(&json, "neighbours", (int64_t)simulation->medium->radios_seen);
  text_add_member(&json, "bytes", (int64_t)(simulation->medium->frame_bytes + log_position(&simulation->log)));
  text_add_member(&json, "load_us", (int64_t)(loaded_s * 1e6));
  text_add_member(&json, "run_us", (int64_t)((watch_elapsed() - loaded_s) * 1e6));
  text_add_member(&json, "peak_memory", peak_memory());
  javascript_report_error(simulation, &json);
  outside_report(simulation, &json);
  text_add(&json, "}\n");
  report_line(&json);
}

static void
open_outside(struct simulation *simulation, const struct arguments *arguments)
{
  FILE *settings = fdopen((int)arguments->outside, "r");

  if(settings == NULL) {
    report_error(ERROR_DESCRIPTION, "--outside %lld: %s", (long long)arguments->outside, strerror(errno));
  }
  outside_read(simulation, settings, arguments->control != 0 ? (int)arguments->control : -1);
}

static void
open_script(struct simulation *simulation, const struct arguments *arguments)
{
  struct script *script = simulation->script;

  if(script->ends != NULL) {
    simulation->line = end_script_line;
    return;
  }
  if(script->driven) {
    door_open(simulation, (int)arguments->door, arguments->contain != 0);
    return;
  }
  simulation->script_acts = true;
  simulation->line = javascript_line;
  script->files = script_files_beside(arguments->log);
  javascript_open(simulation, &arguments->interpreter);
}

int
main(int count, char **words)
{
  static struct medium medium;
  static struct script script;
  static struct simulation simulation = {.medium = &medium, .script = &script};
  struct arguments arguments;
  double loaded_s;
  bool ok;

  report_open();
  arguments = read_arguments(count, words);
  end_with_parent(arguments.parent);
  description_read(stdin, &simulation);
  log_open(&simulation.log, arguments.log, (uint64_t)arguments.log_limit);
  if(arguments.radio != NULL || arguments.air != NULL) {
    observer_open(&simulation, arguments.radio, arguments.air);
  }
  if(arguments.debugger != 0) {
    if(arguments.breakpoint_mote == NULL ||
       !debugger_choose(&simulation, (int)arguments.debugger, atol(arguments.breakpoint_mote), arguments.breakpoint_us)) {
      report_error(ERROR_DESCRIPTION, "no emulated mote %s to stop", arguments.breakpoint_mote);
    }
  } else if(arguments.breakpoint_mote != NULL && !breakpoint_choose(&simulation, atol(arguments.breakpoint_mote), arguments.breakpoint_us)) {
    report_error(ERROR_DESCRIPTION, "no mote %s to stop", arguments.breakpoint_mote);
  }
  if(arguments.outside != 0) {
    open_outside(&simulation, &arguments);
  }
  watch_start(&simulation, arguments.limit_s);
  simulation.every_tick = arguments.every_tick != 0;
  simulation.code_per_mote = arguments.code_per_mote != 0;
  simulation.guards = arguments.guards != 0;
  simulation.counts_cycles = arguments.cycles != NULL;
  open_script(&simulation, &arguments);
  simulation_prepare(&simulation);
  if(simulation.has_power_tracker) {
    power_tracker_start(&simulation);
  }
  sky_start(&simulation, arguments.every_slice != 0 || arguments.debugger != 0,
            script.driven || simulation.outside != NULL || (script.javascript != NULL && javascript_acts(script.javascript)));
  loaded_s = watch_elapsed();
  ok = simulation_run(&simulation);
  watch_check_gaps();
  if(!log_flush(&simulation.log)) {
    report_error(ERROR_STORAGE, "can't write the log: %s", strerror(simulation.log.error));
  }
  if(observer != NULL) {
    processors_record(&simulation, sky_processor_times);
    observer_end();
  }
  debugger_ended(ok);
  sky_report(&simulation);
  if(arguments.cycles != NULL) {
    sky_write_cycles(&simulation, arguments.cycles);
  }
  report_end(&simulation, ok, loaded_s);
  leave(ok ? EXIT_VERDICT_OK : EXIT_VERDICT_FAILED);
}
