/* SPDX-License-Identifier: Apache-2.0 */
#include "observation/watch.h"

#include "base/memory.h"
#include "base/report.h"
#include "libc/context.h"
#include "loader/placement.h"
#include "observation/fault_location.h"
#include "observation/observer.h"
#include "sanitizers/sanitizer.h"

#include <math.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum { PERIOD_US = 400 * 1000, STACK_SIZE = 64 * 1024, LINE_SHOWN = 400 };
enum { BLOCKED = 60 }; /* a step that takes so many times its limit in real time waits for something */

volatile sig_atomic_t watch_wanted;
struct mote *volatile watch_running;
sigjmp_buf *watch_escape;
struct mote *watch_fallen;
struct text watch_fault;

/* These are static because signal handlers need them. */
static struct simulation *simulation;
static volatile sig_atomic_t script_computes;
static volatile sig_atomic_t script_steps, script_steps_seen; /* how often it went on, now and at the timer's last signal */
static double script_from; /* processor time at that signal */
static struct mote *volatile last_run; /* the mote that ran at the timer's last signal */
void (*watch_before_fault)(const struct simulation *simulation);
static struct { int64_t code; bool called; } fault_place = {-1, false}; /* of an emulated mote */
static const void *called_from; /* the return address of a sanitizer's check, or NULL */
static double started, limited_from, limit;
static bool steps; /* the limit is one of each step's processor time, since: */
static double worked_before;
static uint64_t events_before; /* at the timer's last signal */

static double
seconds_of(clockid_t clock)
{
  struct timespec now;

  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double
seconds(void)
{
  return seconds_of(CLOCK_MONOTONIC);
}

static bool
is_over_limit(void)
{
  double passed = seconds() - limited_from;

  if(limit <= 0) {
    return false;
  }
  return steps ? seconds_of(CLOCK_PROCESS_CPUTIME_ID) - worked_before > limit || passed > BLOCKED * limit : passed > limit;
}

double
watch_elapsed(void)
{
  return seconds() - started;
}

/* Adds the mote's last lines, oldest first, and its output since then, read back from the log. */
static void
add_last_lines(struct text *json, const struct mote *mote)
{
  bool first = true;
  char line[LINE_SHOWN];

  text_add(json, ",\"last\":[");
  for(int i = KEPT_LINES - 1; i >= 0; i--) {
    size_t length = mote->serial.last[i].length;
    if(length > 0) {
      length = log_read(&simulation->log, mote->serial.last[i].position, line, length < LINE_SHOWN ? length : LINE_SHOWN);
      text_add(json, first ? "" : ",");
      text_add_json(json, line, length);
      first = false;
    }
  }
  text_add(json, "],\"unfinished\":");
  text_add_json(json, mote->serial.line, mote->serial.used < LINE_SHOWN ? mote->serial.used : LINE_SHOWN);
}

/* Adds the end of its output in the tick that did not return. */
static void
add_pending(struct text *json, const struct mote *mote)
{
  int length;

  if(mote->image == NULL || !mote_has(mote, WITH_ContikiRS232)) {
    return;
  }
  length = ABI(mote, simLoggedLength);
  if(length > 0 && (uint64_t)length <= mote_reach(mote, mote->type->abi.simLoggedData)) {
    int shown = length < LINE_SHOWN ? length : LINE_SHOWN;
    text_add(json, ",\"pending\":");
    text_add_json(json, (const char *)&ABI(mote, simLoggedData) + length - shown, (size_t)shown);
  }
}

void
watch_check_gaps(void)
{
  for(uint32_t i = 0; i < simulation->type_count; i++) {
    if(!simulation->types[i].is_sky && !placement_gaps_are_clean(&simulation->types[i].firmware)) {
      report_overrun(simulation->types[i].path);
    }
  }
}

/* Reports a mote's fault and ends the process. `mote`, `address` and `context` (a signal's ucontext_t) may be NULL. */
_Noreturn static void
end_with(const char *report, struct mote *mote, const char *reason, const void *address, const void *context,
         enum exit_code code)
{
  static char line[8 * KEPT_LINES * LINE_SHOWN + 4096];
  struct text json = {line, 0, sizeof(line) - 2};

  if(watch_before_fault != NULL && watch_escape == NULL) {
    watch_before_fault(simulation);
  }
  log_flush(&simulation->log);
  observer_cut();
  observer_flush();
  watch_check_gaps(); /* another mote may have caused this mote's fault */
  text_add(&json, "{\"report\":\"");
  text_add(&json, report);
  text_add(&json, "\",\"reason\":");
  text_add_json(&json, reason, strlen(reason));
  if(address != NULL) {
    text_add(&json, ",\"address\":\"0x");
    text_add_hex(&json, (uint64_t)(uintptr_t)address);
    text_add(&json, "\"");
  }
  text_add_member(&json, "sim_us", simulation->queue.now);
  text_add_member(&json, "events", (int64_t)simulation->events);
  if(mote != NULL) {
    text_add_member(&json, "mote", mote->id);
    if(called_from != NULL) {
      fault_location_of_call(&json, mote, called_from);
    }
    fault_location_of_code(&json, mote, context);
    if(fault_place.code >= 0) {
      fault_location_add(&json, mote, (uint64_t)fault_place.code, fault_place.called);
    }
    if(address != NULL) {
      fault_location_of_address(&json, simulation, mote, address);
    }
    add_last_lines(&json, mote);
    add_pending(&json, mote);
  }
  json.size = sizeof(line);
  text_add(&json, "}\n");
  if(watch_escape != NULL && mote != NULL) {
    watch_fallen = mote;
    watch_fault = json;
    siglongjmp(*watch_escape, 1);
  }
  report_line(&json);
  leave(code);
}

_Noreturn void
watch_mote_fault(struct mote *mote, const char *what)
{
  watch_mote_fault_at(mote, what, -1, false);
}

_Noreturn void
watch_mote_fault_at(struct mote *mote, const char *what, int64_t code, bool called)
{
  static char line[64] = "Test ended at simulation time: ";
  struct text text = {line, strlen(line), sizeof(line) - 1};

  text_add_number(&text, simulation->queue.now);
  text_add(&text, "\n");
  if(watch_escape == NULL) {
    log_append(&simulation->log, line, text.used);
  }
  fault_place.code = code;
  fault_place.called = called;
  end_with("crash", mote, what, NULL, NULL, EXIT_CRASH);
}

_Noreturn static void
found_by_sanitizer(const char *what, const void *from, const void *address)
{
  struct mote *mote = watch_running;

  if(mote == NULL) {
    report_error(ERROR_KERNEL, "a sanitizer's check outside of a mote: %s", what);
  }
  called_from = from;
  end_with("sanitizer", mote, what, address, NULL, EXIT_SANITIZER);
}

static void
mote_exited(int code)
{
  char reason[40] = "exit(";
  struct text text = {reason, 5, sizeof(reason) - 1};

  text_add_number(&text, code);
  text_add(&text, ")");
  end_with("crash", watch_running, reason, NULL, NULL, EXIT_CRASH);
}

static const char *
signal_name(int signal)
{
  switch(signal) {
  case SIGSEGV: return "SIGSEGV";
  case SIGBUS: return "SIGBUS";
  case SIGFPE: return "SIGFPE";
  case SIGILL: return "SIGILL";
  case SIGTRAP: return "SIGTRAP";
  case SIGSYS: return "SIGSYS";
  case SIGABRT: return "SIGABRT";
  }
  return "signal";
}

static void
crashed(int signal, siginfo_t *info, void *context)
{
  bool has_address = signal == SIGSEGV || signal == SIGBUS; /* of others it is the instruction's */

  if(watch_running == NULL) {
    report_error(ERROR_KERNEL, "the simulator itself crashed with %s at simulated time %lld us; please report it",
                 signal_name(signal), (long long)simulation->queue.now);
  }
  end_with("crash", watch_running, signal_name(signal), has_address ? info->si_addr : NULL, context,
           EXIT_CRASH);
}

static void
look_at_script(void)
{
  if(is_over_limit()) {
    end_with("time", NULL, "wall-clock limit; the script computes, and waits for no line", NULL, NULL, EXIT_TIME);
  }
  if(script_steps_seen != script_steps) {
    script_steps_seen = script_steps;
    script_from = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  } else if(seconds_of(CLOCK_PROCESS_CPUTIME_ID) - script_from > SCRIPT_STEP_S) {
    end_with("time", NULL, "the script computed for 10 s without waiting for a line (YIELD, WAIT_UNTIL)", NULL, NULL, EXIT_TIME);
  }
}

/* Called every PERIOD_US. The limit ends the run between two events; a mote that does not return is ended here. */
static void
look(int signal, siginfo_t *info, void *context)
{
  (void)signal;
  (void)info;
  last_run = watch_running ? watch_running : last_run;
  if(script_computes) {
    look_at_script();
  }
  if(simulation->events == events_before && watch_running != NULL && is_over_limit()) {
    end_with("time", watch_running,
             steps ? "time limit of a step; the mote's code does not return" : "wall-clock limit; the mote's code does not return",
             NULL, context, EXIT_TIME);
  }
  events_before = simulation->events;
  watch_wanted = 1;
}

void
watch_log_full(void)
{
  char reason[160] = "the log reached its limit of ";
  struct text text = {reason, strlen(reason), sizeof(reason) - 1};
  struct mote *most = simulation->motes;

  for(uint32_t i = 1; i < simulation->mote_count; i++) {
    most = simulation->motes[i].serial.written > most->serial.written ? &simulation->motes[i] : most;
  }
  watch_escape = NULL; /* this is the end for all of them */
  text_add_number(&text, (int64_t)simulation->log.limit);
  text_add(&text, " bytes; most of it is this mote's: ");
  text_add_number(&text, (int64_t)most->serial.written);
  end_with("full", most, reason, NULL, NULL, EXIT_LOG);
}

_Noreturn void
watch_abandoned(void)
{
  log_flush(&simulation->log);
  report_error(ERROR_SCRIPT, "%lld", (long long)simulation->queue.now);
}

void
watch_attend(void)
{
  watch_wanted = 0;
  if(!log_flush(&simulation->log)) {
    report_error(ERROR_STORAGE, "can't write the log: %s", strerror(simulation->log.error));
  }
  if(!observer_flush()) {
    report_error(ERROR_STORAGE, "can't write the record of the radios");
  }
  if(is_over_limit()) {
    watch_escape = NULL; /* no single mote's fault */
    end_with("time", last_run, steps ? "time limit of a step" : "wall-clock limit", NULL, NULL, EXIT_TIME);
  }
}

void
watch_steps(void)
{
  steps = true;
  limited_from = worked_before = INFINITY;
}

void
watch_step(void)
{
  limited_from = seconds();
  worked_before = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

void
watch_script_begins(void)
{
  script_steps++;
}

void
watch_script(bool computes)
{
  script_computes = computes;
}

static void
catch_crashes(void)
{
  static const int CRASHES[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  struct sigaction action = {.sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESETHAND | SA_NODEFER};

  action.sa_sigaction = crashed;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGALRM); /* no second report during the first */
  for(size_t i = 0; i < sizeof(CRASHES) / sizeof(CRASHES[0]); i++) {
    sigaction(CRASHES[i], &action, NULL);
  }
}

/* The handler did not return: it is to be installed anew, and what it blocked is to be let through. */
void
watch_after_escape(void)
{
  sigset_t blocked;

  watch_escape = NULL;
  watch_running = NULL;
  called_from = NULL;
  fault_place.code = -1;
  catch_crashes();
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &blocked, NULL);
}

static void
start_timer(void)
{
  struct itimerval period = {{0, PERIOD_US}, {0, PERIOD_US}};

  setitimer(ITIMER_REAL, &period, NULL);
}

void
watch_branch(void)
{
  started = seconds();
  watch_step();
  start_timer();
}

void
watch_start(struct simulation *watched, double limit_s)
{
  struct sigaction action = {.sa_sigaction = look, .sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESTART};
  stack_t stack = {.ss_sp = allocate(STACK_SIZE, 1), .ss_size = STACK_SIZE};

  simulation = watched;
  started = limited_from = seconds();
  limit = limit_s;
  mote_exits = mote_exited;
  sanitizer_found = found_by_sanitizer;
  sigaltstack(&stack, NULL);
  catch_crashes();
  sigemptyset(&action.sa_mask);
  sigaction(SIGALRM, &action, NULL);
  start_timer();
}
