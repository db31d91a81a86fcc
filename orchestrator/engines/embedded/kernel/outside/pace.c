/* SPDX-License-Identifier: Apache-2.0 */
#include "outside/pace.h"

#include "observation/watch.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

static const int64_t BEAT_NS = 1000000;
static const int64_t LONGEST_PERIOD_US = 1000000, SHORTEST_PERIOD_US = 1000; /* without a limit */
static const rlim_t LONGEST_AHEAD_US = 200000; /* of processor time before other programs without waiting */
static const int64_t TOO_LATE_NS = 1000000000; /* to catch up: clients would see a second go by in no time */

static volatile sig_atomic_t ahead; /* of other programs, however many want the processor */
static bool refused; /* the system doesn't let it */

/* Computes among all other programs. */
static void
fall_back(int signal)
{
  struct sched_param usual = {0};

  (void)signal;
  ahead = 0;
  sched_setscheduler(0, SCHED_OTHER, &usual);
}

/* Computes ahead of other programs, where the system lets it (root, RLIMIT_RTPRIO), as a simulation that keeps pace computes
   for short times only. One that computes on and on, such as a mote that hangs, falls back. */
static void
go_ahead(void)
{
  struct sched_param first = {.sched_priority = 1};

  ahead = sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &first) == 0;
  refused = !ahead;
}

static void
allow_ahead(void)
{
  struct sigaction action = {.sa_handler = fall_back, .sa_flags = SA_ONSTACK | SA_RESTART};
  struct rlimit limit;

  sigemptyset(&action.sa_mask);
  sigaction(SIGXCPU, &action, NULL);
  if(getrlimit(RLIMIT_RTTIME, &limit) == 0) {
    limit.rlim_cur = LONGEST_AHEAD_US < limit.rlim_max ? LONGEST_AHEAD_US : limit.rlim_max;
    setrlimit(RLIMIT_RTTIME, &limit);
  }
}

static int64_t
nanoseconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Sixteen classes for each power of two, so that a class is at most a sixteenth of its lateness wide. */
static unsigned
class_of(uint64_t us)
{
  unsigned power;

  if(us < LATENESS_STEPS) {
    return (unsigned)us;
  }
  power = 63 - (unsigned)__builtin_clzll(us);
  return (power - 3) * LATENESS_STEPS + (unsigned)(us >> (power - 4)) % LATENESS_STEPS;
}

/* The largest lateness (us) of a class. */
static int64_t
most_of(unsigned class)
{
  unsigned power = class / LATENESS_STEPS + 3;

  return class < LATENESS_STEPS ? class : ((int64_t)(LATENESS_STEPS + class % LATENESS_STEPS + 1) << (power - 4)) - 1;
}

static int64_t
quantile(const struct pace *pace, double share)
{
  uint64_t wanted = (uint64_t)ceil(share * (double)pace->beats), seen = 0;
  unsigned class = 0;

  while(class < LATENESS_CLASSES - 1 && (seen += pace->late[class]) < wanted) {
    class++;
  }
  return most_of(class);
}

static void
begin_at(struct pace *pace, int64_t now_us)
{
  pace->from_us = now_us;
  pace->beat_ns = pace->from_ns = nanoseconds();
  pace->period_us = SHORTEST_PERIOD_US;
  if(pace->speed > 0) {
    double period = pace->speed * (double)BEAT_NS / 1000;
    pace->period_us = period < 1 ? 1 : period > 1e12 ? (int64_t)1e12 : (int64_t)period;
    pace->fastest = pace->speed > pace->fastest ? pace->speed : pace->fastest;
  }
}

static void
wait_until(struct simulation *simulation, struct pace *pace, int64_t due_ns)
{
  if(!ahead && !refused && due_ns > nanoseconds()) {
    go_ahead();
  }
  for(int64_t left = due_ns - nanoseconds();; left = due_ns - nanoseconds()) {
    pace->attend(simulation, left > 0 ? left : 0);
    if(watch_wanted) {
      watch_attend();
    }
    if(left <= 0) {
      return;
    }
  }
}

static void
keep_pace(struct simulation *simulation, struct pace *pace)
{
  int64_t due_ns = pace->from_ns + (int64_t)((double)(simulation->queue.now - pace->from_us) * 1000 / pace->speed), late_ns;

  wait_until(simulation, pace, due_ns);
  late_ns = nanoseconds() - due_ns;
  late_ns = late_ns > 0 ? late_ns : 0;
  pace->beats++;
  pace->late[class_of((uint64_t)late_ns / 1000)]++;
  pace->latest_ns = late_ns > pace->latest_ns ? late_ns : pace->latest_ns;
  if(late_ns > TOO_LATE_NS) {
    pace->from_ns += late_ns;
    pace->moved_ns += late_ns;
  }
}

/* Chooses the time to the next beat so that beats come at about every millisecond of real time. */
static void
look_at_times(struct simulation *simulation, struct pace *pace)
{
  int64_t now_ns;

  pace->attend(simulation, 0);
  now_ns = nanoseconds();
  if(now_ns - pace->beat_ns < BEAT_NS / 2 && pace->period_us < LONGEST_PERIOD_US) {
    pace->period_us *= 2;
  } else if(now_ns - pace->beat_ns > 2 * BEAT_NS && pace->period_us > SHORTEST_PERIOD_US) {
    pace->period_us /= 2;
  }
  pace->beat_ns = now_ns;
}

static void
beat(struct simulation *simulation, struct time_event *event)
{
  struct pace *pace = (struct pace *)event;

  simulation->events--; /* it is none of the simulation's */
  if(pace->speed > 0) {
    keep_pace(simulation, pace);
  } else {
    look_at_times(simulation, pace);
  }
  time_event_insert(&simulation->queue, event, beat, simulation->queue.now + pace->period_us);
}

void
pace_start(struct simulation *simulation, struct pace *pace)
{
  prctl(PR_SET_TIMERSLACK, 1); /* ns; the usual 50 us would make every beat late */
  allow_ahead();
  begin_at(pace, simulation->queue.now);
  time_event_insert(&simulation->queue, &pace->beat, beat, simulation->queue.now);
}

/* In a script that stood still for a line, times count from that line. */
void
pace_set(struct simulation *simulation, struct pace *pace, double speed)
{
  pace->speed = speed > 0 && isfinite(speed) ? speed : 0;
  if(pace->speed == 0 && ahead) {
    fall_back(0);
  }
  begin_at(pace, simulation->queue.now);
  if(pace->beat.event.queued) {
    queue_insert(&simulation->queue, &pace->beat.event, queue_present(&simulation->queue) + 1);
  }
}

void
pace_report(const struct pace *pace, struct text *json)
{
  text_add_member(json, "beats", (int64_t)pace->beats);
  if(pace->beats > 0) {
    text_add_member(json, "speed_millionths", (int64_t)(pace->fastest * 1e6));
    text_add_member(json, "late_p50_us", quantile(pace, 0.5));
    text_add_member(json, "late_p99_us", quantile(pace, 0.99));
    text_add_member(json, "latest_us", pace->latest_ns / 1000);
    text_add_member(json, "moved_us", pace->moved_ns / 1000);
  }
}
