/* SPDX-License-Identifier: Apache-2.0 */
#include "outside/outside.h"

#include "base/memory.h"
#include "base/reader.h"
#include "outside/input.h"
#include "outside/pace.h"
#include "outside/sockets.h"

#include <stdlib.h>

static const int64_t LATEST = INT64_C(1) << 53; /* us; as in a description */
static const double FASTEST = 1e9;
enum { MOST_FILES = 1 << 20, MOST_PATIENCE_MS = 1 << 30 };

struct outside {
  struct pace pace;
  struct inputs inputs;
  struct sockets sockets;
  bool follows; /* a script's limit of speed counts */
};

static void
attend(struct simulation *simulation, int64_t wait_ns)
{
  sockets_attend(simulation, &simulation->outside->sockets, wait_ns);
}

static void
printed(struct simulation *simulation, struct mote *mote, const uint8_t *bytes, size_t length)
{
  struct sockets *sockets = &simulation->outside->sockets;

  sockets_send(simulation, sockets, mote, bytes, length);
  if(sockets->printed != NULL) {
    sockets->printed(simulation, mote, bytes, length);
  }
}

static int
file_number(struct reader *reader)
{
  return (int)whole_number(reader, 0, MOST_FILES);
}

static struct mote *
mote_with_port(struct reader *reader, struct simulation *simulation)
{
  struct mote *mote = &simulation->motes[whole_number(reader, 0, (int64_t)simulation->mote_count - 1)];

  if(!mote_has(mote, WITH_ContikiRS232)) {
    wrong(reader, "a serial line of a mote without the interface ContikiRS232");
  }
  return mote;
}

static void
read_line(struct reader *reader, struct simulation *simulation, bool server)
{
  struct mote *mote = mote_with_port(reader, simulation);
  int port = (int)whole_number(reader, 0, UINT16_MAX), listening[LISTENING] = {-1, -1};
  int file = file_number(reader);

  listening[0] = file;
  if(server && reader->rest != NULL) {
    listening[1] = file_number(reader);
  }
  done(reader);
  sockets_add(&simulation->outside->sockets, mote, port, server ? listening : NULL, server ? -1 : file);
}

static void
read_input(struct reader *reader, struct simulation *simulation)
{
  int64_t time = whole_number(reader, 1, LATEST);
  struct mote *mote = mote_with_port(reader, simulation);
  size_t length;
  uint8_t *bytes = hexadecimal(reader, &length);

  done(reader);
  inputs_keep(&simulation->outside->inputs, time, mote, false, bytes, length);
  free(bytes);
}

void
outside_read(struct simulation *simulation, FILE *settings, int control)
{
  struct reader reader = {.file = settings, .name = "what is said about the world outside of the simulation"};
  struct outside *outside = allocate(1, sizeof(*outside));

  simulation->outside = outside;
  inputs_init(&outside->inputs);
  outside->sockets.inputs = &outside->inputs;
  outside->sockets.control = control;
  outside->pace.attend = attend;
  next_line(&reader), expect(&reader, "speed");
  outside->pace.speed = real_number(&reader, 0, FASTEST), done(&reader);
  next_line(&reader), expect(&reader, "follow");
  outside->follows = choice(&reader, "yes", "no"), done(&reader);
  next_line(&reader), expect(&reader, "patience");
  outside->sockets.patience_ms = (int)whole_number(&reader, 1, MOST_PATIENCE_MS), done(&reader);
  for(next_line(&reader); !is(&reader, "begin"); next_line(&reader)) {
    if(is(&reader, "server")) {
      read_line(&reader, simulation, true);
    } else if(is(&reader, "client")) {
      read_line(&reader, simulation, false);
    } else if(is(&reader, "record")) {
      outside->inputs.record = file_number(&reader), done(&reader);
    } else if(is(&reader, "input")) {
      read_input(&reader, simulation);
    } else {
      int64_t time;
      expect(&reader, "stop");
      time = whole_number(&reader, 1, LATEST);
      inputs_keep(&outside->inputs, time, NULL, choice(&reader, "yes", "no"), NULL, 0), done(&reader);
    }
  }
  free(reader.line);
  fclose(settings);
}

void
outside_start(struct simulation *simulation)
{
  struct outside *outside = simulation->outside;

  sockets_open(&outside->sockets);
  inputs_start(simulation, &outside->inputs);
  if(outside->sockets.count > 0) {
    outside->sockets.printed = simulation->printed;
    simulation->printed = printed;
  }
  if(outside->sockets.count > 0 || outside->pace.speed > 0 || outside->follows) {
    pace_start(simulation, &outside->pace);
  }
}

void
outside_set_speed(struct simulation *simulation, double speed)
{
  if(simulation->outside != NULL && simulation->outside->follows) {
    pace_set(simulation, &simulation->outside->pace, speed);
  }
}

bool
outside_ended(const struct simulation *simulation, bool *ok)
{
  const struct outside *outside = simulation->outside;

  if(outside == NULL || !outside->inputs.ended) {
    return false;
  }
  *ok = outside->inputs.ok;
  return true;
}

bool
outside_holds_socket(const struct simulation *simulation, struct text *which)
{
  const struct sockets *sockets = simulation->outside == NULL ? NULL : &simulation->outside->sockets;

  for(uint32_t i = 0; sockets != NULL && i < sockets->count; i++) {
    const struct serial_line *line = &sockets->lines[i];
    if(line->connection >= 0 || line->listening[0] >= 0) {
      text_add(which, line->listening[0] >= 0 ? "the SerialSocketServer of mote " : "the SerialSocketClient of mote ");
      text_add_number(which, line->mote->id);
      text_add(which, " has port ");
      text_add_number(which, line->port);
      text_add(which, " open");
      return true;
    }
  }
  return false;
}

void
outside_end(struct simulation *simulation)
{
  if(simulation->outside != NULL) {
    sockets_close(simulation, &simulation->outside->sockets);
    inputs_end(simulation, &simulation->outside->inputs);
  }
}

void
outside_report(const struct simulation *simulation, struct text *json)
{
  const struct outside *outside = simulation->outside;

  if(outside != NULL) {
    pace_report(&outside->pace, json);
    text_add_member(json, "serial_out", outside->sockets.taken);
    text_add_member(json, "serial_in", outside->sockets.given);
    text_add(json, outside->inputs.ended ? ",\"stopped\":true" : "");
  }
}
