/* SPDX-License-Identifier: Apache-2.0 */
#include "run/description.h"

#include "base/exact.h"
#include "base/memory.h"
#include "base/reader.h"
#include "operation/mobility.h"
#include "radio/medium.h"
#include "script/end_script.h"
#include "script/javascript.h"
#include "script/script.h"
#include "sky/sky.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TYPES = 1000, MOST_MOTES = 1000 * 1000, MOST_SPARE = 100 * 1000, MOST_MOVES = 100 * 1000 * 1000 };
static const double LARGEST_LENGTH = DBL_MAX; /* m */
static const double SLOWEST_KBPS = 1e-3, FASTEST_KBPS = 1e9;
static const int64_t LARGEST_TIME = INT64_C(1) << 53; /* us; a script's numbers are exact up to here */

static void
read_medium(struct reader *reader, struct medium *medium)
{
  const char *name;

  next_line(reader), expect(reader, "medium");
  name = word(reader), done(reader);
  for(const struct known_medium *known = known_media; known != NULL; known = known->next) {
    if(strcmp(name, known->rules->name) == 0) {
      medium->rules = known->rules;
    }
  }
  if(medium->rules == NULL) {
    wrong(reader, "an unknown medium");
  }
  if(medium->rules->placed) {
    next_line(reader), expect(reader, "ranges");
    medium->transmission_range = real_number(reader, 0, LARGEST_LENGTH);
    medium->interference_range = real_number(reader, 0, LARGEST_LENGTH), done(reader);
    next_line(reader), expect(reader, "ratios");
    medium->transmission_ratio = real_number(reader, 0, 1);
    medium->reception_ratio = real_number(reader, 0, 1), done(reader);
  }
  if(medium->rules->read != NULL) {
    medium->rules->read(reader, medium);
  }
}

static void
read_head(struct reader *reader, struct simulation *simulation)
{
  struct medium *medium = simulation->medium;
  struct script *script = simulation->script;

  next_line(reader), expect(reader, "simulation"), whole_number(reader, 1, 1), done(reader);
  next_line(reader), expect(reader, "rules");
  medium->rules_2026_07 = choice(reader, "2026.07", "5.0"), done(reader);
  next_line(reader), expect(reader, "seed");
  simulation->seed = whole_number(reader, INT64_MIN, INT64_MAX), done(reader);
  next_line(reader), expect(reader, "start-delay");
  simulation->start_delay_us = (int32_t)whole_number(reader, 0, INT32_MAX), done(reader);
  read_medium(reader, medium);
  next_line(reader), expect(reader, "timeout");
  script->timeout_us = whole_number(reader, 1, LARGEST_TIME), done(reader);
  next_line(reader), expect(reader, "spare");
  simulation->mote_capacity = (uint32_t)whole_number(reader, 0, MOST_SPARE), done(reader);
  simulation->type_capacity = MOST_TYPES;
  next_line(reader);
  if(is(reader, "power-tracker")) {
    simulation->has_power_tracker = true;
    done(reader), next_line(reader);
  }
  if(is(reader, "javascript")) {
    script->javascript = javascript_read(reader);
  } else if(is(reader, "driven")) {
    script->driven = true;
    simulation->type_capacity = (uint32_t)whole_number(reader, 0, MOST_TYPES), done(reader);
    next_line(reader);
  } else {
    expect(reader, "ends");
    script->ends = end_script_read(reader);
  }
}

struct mote_type *
description_type(struct reader *reader, struct simulation *simulation, bool sky)
{
  struct mote_type *type;
  const uint32_t needed = WITH_ContikiMoteID | WITH_ContikiClock;

  if(simulation->type_count == simulation->type_capacity) {
    wrong(reader, "too many mote types");
  }
  type = &simulation->types[simulation->type_count++];
  *type = (struct mote_type){.path = text_to_end(reader), .is_sky = sky};
  for(next_line(reader); is(reader, "interface"); next_line(reader)) {
    const char *name = word(reader);
    int interface;
    done(reader);
    if(sky) {
      if(!sky_interface(type, name)) {
        wrong(reader, "an interface that the embedded engine doesn't have for a Tmote Sky");
      }
      continue;
    }
    interface = abi_interface(name);
    if(interface < 0) {
      wrong(reader, "an interface that the embedded engine doesn't have");
    }
    if(type->interfaces >> interface & 1) {
      wrong(reader, "an interface that the type has already");
    }
    type->serial_after_radio |= interface == ContikiRS232_bit && (type->interfaces & WITH_ContikiRadio) != 0;
    type->clock_after_radio |= interface == ContikiClock_bit && (type->interfaces & WITH_ContikiRadio) != 0;
    type->interfaces |= 1u << interface;
  }
  if(sky && is(reader, "images")) {
    type->sky_table = hexadecimal(reader, &type->sky_table_size);
    done(reader);
    next_line(reader);
  }
  if((type->interfaces & needed) != needed) {
    wrong(reader, sky ? "the mote type before it needs the interfaces MspMoteID and MspClock"
                      : "the mote type before it needs the interfaces ContikiMoteID and ContikiClock");
  }
  return type;
}

static void
read_eeprom(struct reader *reader, struct mote *mote)
{
  size_t size;
  uint8_t *bytes = hexadecimal(reader, &size);

  if(size == 0) {
    free(bytes);
    return;
  }
  if(!mote_has(mote, WITH_ContikiEEPROM)) {
    wrong(reader, "EEPROM content for a mote type without the interface ContikiEEPROM");
  }
  if(size > EEPROM_SIZE) {
    wrong(reader, "EEPROM content of more than 1024 bytes");
  }
  mote->eeprom = bytes;
  mote->eeprom_size = (uint32_t)size;
}

struct mote
description_mote(struct reader *reader, const struct simulation *simulation)
{
  struct mote mote = {
    .type = &simulation->types[whole_number(reader, 0, (int64_t)simulation->type_count - 1)],
    .quiet_dbm = QUIET_DBM, .sending_dbm = STRONG_DBM, .exact_quiet_dbm = QUIET_DBM, .exact_sending_dbm = STRONG_DBM
  };

  mote.id = (int)whole_number(reader, INT32_MIN, INT32_MAX);
  mote.x = real_number(reader, -LARGEST_LENGTH, LARGEST_LENGTH);
  mote.y = real_number(reader, -LARGEST_LENGTH, LARGEST_LENGTH);
  mote.z = real_number(reader, -LARGEST_LENGTH, LARGEST_LENGTH);
  read_eeprom(reader, &mote);
  if(reader->rest != NULL && mote.type->is_sky) {
    mote.deviation = real_number(reader, DBL_MIN, 1);
  } else if(reader->rest != NULL) {
    if(!mote_has(&mote, WITH_ContikiRadio)) {
      wrong(reader, "a bit rate for a mote type without the interface ContikiRadio");
    }
    mote.rate_kbps = real_number(reader, SLOWEST_KBPS, FASTEST_KBPS);
  }
  done(reader);
  return mote;
}

static void
read_mote(struct reader *reader, struct simulation *simulation, uint32_t *size)
{
  struct mote *mote;

  if(simulation->mote_count == MOST_MOTES) {
    wrong(reader, "too many motes");
  }
  simulation->motes = with_room(simulation->motes, simulation->mote_count, size, 64, sizeof(*simulation->motes));
  mote = &simulation->motes[simulation->mote_count];
  *mote = description_mote(reader, simulation);
  mote->index = simulation->mote_count++;
  mote->type->motes++;
}

static uint32_t
mote_with_radio(struct reader *reader, const struct simulation *simulation)
{
  uint32_t index = (uint32_t)whole_number(reader, 0, (int64_t)simulation->mote_count - 1);

  if(!mote_has(&simulation->motes[index], WITH_ContikiRadio)) {
    wrong(reader, "an edge of a mote without the interface ContikiRadio");
  }
  return index;
}

static double
own_strength(struct reader *reader, const struct simulation *simulation, struct mote **mote)
{
  double strength;

  *mote = &simulation->motes[mote_with_radio(reader, simulation)];
  strength = real_number(reader, -LARGEST_LENGTH, LARGEST_LENGTH), done(reader);
  return strength;
}

struct mote *
description_own_strength(struct reader *reader, const struct simulation *simulation)
{
  bool sending = is(reader, "sending");
  struct mote *mote = NULL;

  if(sending || is(reader, "quiet")) {
    double strength = own_strength(reader, simulation, &mote);
    *(sending ? &mote->exact_sending_dbm : &mote->exact_quiet_dbm) = strength;
    *(sending ? &mote->sending_dbm : &mote->quiet_dbm) = to_int(strength); /* as Cooja cuts it when it sets it */
  }
  return mote;
}

uint32_t
description_edge(struct reader *reader, const struct simulation *simulation, struct edge *edge)
{
  uint32_t source;

  if(simulation->medium->rules != &directed_graph) {
    wrong(reader, "this medium has no edges");
  }
  source = mote_with_radio(reader, simulation);
  *edge = (struct edge){.mote = mote_with_radio(reader, simulation)};
  edge->ratio = real_number(reader, 0, 1);
  edge->signal = real_number(reader, -LARGEST_LENGTH, LARGEST_LENGTH);
  edge->lqi = (int)whole_number(reader, INT32_MIN, INT32_MAX);
  edge->delay = whole_number(reader, 0, LARGEST_TIME);
  edge->channel = (int)whole_number(reader, INT32_MIN, INT32_MAX);
  done(reader);
  return source;
}

static void
read_edge(struct reader *reader, struct simulation *simulation, uint32_t *last)
{
  struct medium *medium = simulation->medium;
  struct edges *edges;
  struct edge edge;
  uint32_t source = description_edge(reader, simulation, &edge);

  if(medium->edges == NULL) {
    medium->edges = allocate(simulation->mote_count, sizeof(*medium->edges));
    medium->edge_sources = simulation->mote_count;
  }
  edges = &medium->edges[source];
  if(edges->count > 0 && source != *last) {
    wrong(reader, "edges of this mote stand further up");
  }
  *last = source;
  edges->list = with_room(edges->list, edges->count, &edges->size, 8, sizeof(*edges->list));
  edges->list[edges->count++] = edge;
}

static void
begin_mobility(struct reader *reader, struct simulation *simulation)
{
  done(reader);
  simulation->mobility = reallocate(simulation->mobility, simulation->mobility_count + 1, sizeof(*simulation->mobility));
  simulation->mobility[simulation->mobility_count++] = (struct mobility){0};
}

static void
read_move(struct reader *reader, struct simulation *simulation, uint32_t *size)
{
  struct mobility *mobility = &simulation->mobility[simulation->mobility_count - 1];
  struct move *move;

  if(mobility->count == 0) {
    *size = 0;
  }
  if(mobility->count == MOST_MOVES) {
    wrong(reader, "too many moves");
  }
  mobility->moves = with_room(mobility->moves, mobility->count, size, 64, sizeof(*mobility->moves));
  move = &mobility->moves[mobility->count++];
  move->place = (uint32_t)whole_number(reader, 0, UINT32_MAX);
  move->time = whole_number(reader, -LARGEST_TIME, LARGEST_TIME);
  move->x = real_number(reader, -LARGEST_LENGTH, LARGEST_LENGTH);
  move->y = real_number(reader, -LARGEST_LENGTH, LARGEST_LENGTH);
  done(reader);
}

/* Reserves room for the motes that may be added, because addresses must not change later. */
static void
make_room(struct simulation *simulation)
{
  uint32_t spare = simulation->mote_capacity;

  simulation->mote_capacity = simulation->mote_count + spare * (simulation->script->driven ? 1 : simulation->type_count);
  simulation->motes = reallocate(simulation->motes, simulation->mote_capacity + 1, sizeof(*simulation->motes));
  for(uint32_t i = 0; i < simulation->type_count; i++) {
    simulation->types[i].capacity = simulation->types[i].motes + spare;
  }
}

void
description_read(FILE *file, struct simulation *simulation)
{
  struct reader reader = {.file = file, .name = "the simulation's description"};
  uint32_t size = 0, last_source = 0;

  read_head(&reader, simulation);
  simulation->types = allocate(simulation->type_capacity, sizeof(*simulation->types)); /* lazily: it is zero pages at first */
  for(bool sky; (sky = is(&reader, "sky")) || is(&reader, "type");) {
    description_type(&reader, simulation, sky);
  }
  while(is(&reader, "mote")) {
    read_mote(&reader, simulation, &size);
    next_line(&reader);
  }
  while(description_own_strength(&reader, simulation) != NULL) {
    next_line(&reader);
  }
  while(is(&reader, "edge")) {
    read_edge(&reader, simulation, &last_source);
    next_line(&reader);
  }
  while(is(&reader, "mobility")) {
    begin_mobility(&reader, simulation);
    for(next_line(&reader); is(&reader, "move"); next_line(&reader)) {
      read_move(&reader, simulation, &size);
    }
  }
  expect(&reader, "end");
  done(&reader);
  make_room(simulation);
  free(reader.line);
}
