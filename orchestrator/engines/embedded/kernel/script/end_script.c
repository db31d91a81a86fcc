/* SPDX-License-Identifier: Apache-2.0 */
#include "script/end_script.h"

#include "base/memory.h"
#include "base/text.h"
#include "observation/watch.h"
#include "script/script.h"

#include <string.h>

enum { LONGEST_HEAD = 48 }; /* bytes: two numbers of up to 20 digits, "\tID:", "\t" */

struct wanted { /* a text that decides */
  bool given, found;
  char *text;
  size_t length;
};

struct end_script {
  bool at_once, verdict;
  struct wanted expected, forbidden;
};

static struct wanted
read_wanted(struct reader *reader)
{
  struct wanted wanted = {.given = choice(reader, "text", "none")};

  if(wanted.given) {
    wanted.text = (char *)hexadecimal(reader, &wanted.length);
  }
  return wanted;
}

struct end_script *
end_script_read(struct reader *reader)
{
  struct end_script *script = allocate(1, sizeof(*script));

  script->at_once = choice(reader, "at-once", "late");
  script->verdict = choice(reader, "verdict", "none");
  script->expected = read_wanted(reader);
  script->forbidden = read_wanted(reader);
  done(reader);
  next_line(reader);
  return script;
}

static void
decide(struct simulation *simulation, bool ok)
{
  simulation->script->failed = !ok;
  simulation->log.closed = true;
}

static bool
contains(struct wanted *wanted, const char *text, size_t length)
{
  bool found = wanted->given && memmem(text, length, wanted->text, wanted->length) != NULL;

  wanted->found |= found;
  return found;
}

static void
log_line(struct simulation *simulation, struct mote *mote, const char *text, size_t length)
{
  char head[LONGEST_HEAD];
  struct text line = {head, 0, sizeof(head)};
  uint64_t before = log_position(&simulation->log);

  text_add_number(&line, simulation->queue.now);
  text_add(&line, "\tID:");
  text_add_number(&line, mote->id);
  text_add(&line, "\t");
  log_append(&simulation->log, head, line.used);
  log_append(&simulation->log, text, length);
  log_append(&simulation->log, "\n", 1);
  serial_keep_place(&mote->serial, before, log_position(&simulation->log));
  if(log_position(&simulation->log) > simulation->log.limit) {
    watch_log_full();
  }
}

void
end_script_line(struct simulation *simulation, struct mote *mote, const char *text, size_t length)
{
  struct end_script *script = simulation->script->ends;

  if(simulation->log.closed) {
    return;
  }
  log_line(simulation, mote, text, length);
  if(contains(&script->forbidden, text, length) && script->at_once) {
    decide(simulation, false);
  } else if(contains(&script->expected, text, length) && script->at_once) {
    decide(simulation, true);
  }
}

void
end_script_timeout(struct simulation *simulation)
{
  static const char TIMEOUT[] = "TEST TIMEOUT\n";
  const struct end_script *script = simulation->script->ends;

  if(!script->verdict) {
    log_append(&simulation->log, TIMEOUT, sizeof(TIMEOUT) - 1);
  }
  decide(simulation, script->verdict && !script->forbidden.found && (!script->expected.given || script->expected.found));
}
