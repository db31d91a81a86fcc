/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a driven simulation: the process forks, and both go on by themselves. Memory is copied as it is written to, since all
 * of it is private; files are those that the driver sends with the command, in this order.
 */
#ifndef BRANCH_H
#define BRANCH_H

#include "base/text.h"
#include "motes/simulation.h"

enum branch_file { BRANCH_DOOR, BRANCH_REPORT, BRANCH_PRINTED, BRANCH_LOG, BRANCH_FILES };

struct branch_options {
  int files[BRANCH_FILES];
  bool reseeded; /* the branch draws other random numbers: */
  int64_t seed;
};

/* Returns 0 in the branch, whose files are in the places of this process's, with the log's bytes so far; its number in this
   process; and -1 with the reason if there can be no branch. `door`: this process's socket. */
int64_t branch_fork(struct simulation *simulation, const struct branch_options *options, int door, struct text *reason);

#endif
