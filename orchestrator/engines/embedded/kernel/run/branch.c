/* SPDX-License-Identifier: Apache-2.0 */
#include "run/branch.h"

#include "base/report.h"
#include "libc/context.h"
#include "observation/observer.h"
#include "observation/watch.h"
#include "outside/outside.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void
refuse(struct text *reason, const char *what, int error)
{
  text_add(reason, what);
  text_add(reason, error == 0 ? "" : ": ");
  text_add(reason, error == 0 ? "" : strerror(error));
}

static bool
is_possible(struct simulation *simulation, struct text *reason)
{
  if(outside_holds_socket(simulation, reason)) {
    return false;
  }
  if(simulation->outside != NULL) {
    refuse(reason, "it is paced by real time", 0);
    return false;
  }
  if(observer != NULL) {
    refuse(reason, "its radios are recorded", 0);
    return false;
  }
  if(!log_flush(&simulation->log)) {
    refuse(reason, "the log can't be written", simulation->log.error);
    return false;
  }
  return true;
}

/* A child of this process's own parent, which can then wait for its end and ends it with itself. */
static long
fork_beside(void)
{
  return syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
}

static bool
take_files(struct simulation *simulation, const struct branch_options *options, int door)
{
  const int *files = options->files;

  return log_copy(&simulation->log, files[BRANCH_LOG]) && dup2(files[BRANCH_LOG], simulation->log.file) >= 0 &&
         dup2(files[BRANCH_PRINTED], STDERR_FILENO) >= 0 && dup2(files[BRANCH_PRINTED], STDOUT_FILENO) >= 0 &&
         report_to(files[BRANCH_REPORT]) && dup2(files[BRANCH_DOOR], door) >= 0;
}

static void
begin(struct simulation *simulation, const struct branch_options *options, int door, pid_t parent)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  if(getppid() != parent) {
    leave(EXIT_KERNEL); /* it ended before we could ask */
  }
  if(!take_files(simulation, options, door)) {
    report_error(ERROR_STORAGE, "can't begin the log of a branch: %s", strerror(errno));
  }
  for(int i = 0; i < BRANCH_FILES; i++) {
    close(options->files[i]);
  }
  if(options->reseeded) {
    simulation->seed = options->seed;
    java_random_seed(&simulation->random, options->seed);
    context_seed((unsigned)((uint64_t)options->seed ^ (uint64_t)options->seed >> 32));
  }
  watch_branch();
}

int64_t
branch_fork(struct simulation *simulation, const struct branch_options *options, int door, struct text *reason)
{
  pid_t parent = getppid();
  long number;

  if(!is_possible(simulation, reason)) {
    return -1;
  }
  number = fork_beside();
  if(number < 0) {
    refuse(reason, "the system makes no process for it", errno);
  } else if(number == 0) {
    begin(simulation, options, door, parent);
  }
  return number;
}
