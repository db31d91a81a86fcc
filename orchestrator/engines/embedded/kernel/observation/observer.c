/* SPDX-License-Identifier: Apache-2.0 */
#include "observation/observer.h"

#include "base/memory.h"
#include "base/text.h"
#include "observation/recording.h"

#include <stdio.h>
#include <string.h>

static const char *const NAMES[STATES] = {"off", "listening", "receiving", "interfered", "transmitting"};
enum { LONGEST_ROW = 160 };
static const char MAGIC[8] = {'A', 'I', 'R', '\n', 1, 0, 0, 0};

/* Not a part of struct simulation, because it is needed wherever a radio changes, where often only the mote is known. */
struct observer *observer;

static void
open_file(struct held_log *file, const char *folder, const char *name)
{
  char path[4096];

  if(snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path)) {
    report_error(ERROR_STORAGE, "the path of %s is too long", name);
  }
  log_open(&file->log, path, 0);
}

void
observer_open(struct simulation *simulation, const char *folder, const char *file)
{
  static const char HEAD[] = "time_us,mote,event,frame,channel,power,signal_dbm\n";
  uint8_t head[24] = {0};

  observer = allocate(1, sizeof(*observer));
  *observer = (struct observer){.simulation = simulation, .folder = folder, .file = file};
  observer->radios = allocate(simulation->mote_capacity, sizeof(*observer->radios));
  if(file != NULL) {
    log_open(&observer->record.log, file, 0);
    append(&observer->record, MAGIC, sizeof(MAGIC));
  }
  if(folder == NULL) {
    return;
  }
  open_file(&observer->frames, folder, "radio.pcap");
  open_file(&observer->events, folder, "events.csv");
  put(head, MAGIC_US);
  put(head + 4, VERSION);
  put(head + 16, LONGEST);
  put(head + 20, LINKTYPE_IEEE802_15_4_WITHFCS);
  append(&observer->frames, head, sizeof(head));
  append(&observer->events, HEAD, sizeof(HEAD) - 1);
}

bool
observer_flush(void)
{
  bool record, frames, events;

  if(observer == NULL) {
    return true;
  }
  record = observer->file == NULL || log_flush(&observer->record.log);
  frames = observer->folder == NULL || log_flush(&observer->frames.log); /* all, even if one can't be written */
  events = observer->folder == NULL || log_flush(&observer->events.log);
  return record && frames && events;
}

/* dBm; what the medium last computed for radios that get whole frames isn't kept up for others. */
static inline int
strength(const struct mote *mote)
{
  return mote->radio.bytes != NULL ? mote->radio.heard_signal : mote->radio.signal;
}

/* `frame` 0: none. */
static void
add_row(const struct mote *mote, const char *event, uint64_t frame, bool with_signal)
{
  char bytes[LONGEST_ROW];
  struct text row = {bytes, 0, sizeof(bytes)};

  if(observer->folder == NULL) {
    return;
  }
  text_add_number(&row, observer->simulation->queue.now);
  text_add(&row, ",");
  text_add_number(&row, mote->id);
  text_add(&row, ",");
  text_add(&row, event);
  text_add(&row, ",");
  if(frame > 0) {
    text_add_number(&row, (int64_t)frame);
  }
  text_add(&row, ",");
  text_add_number(&row, mote->radio.seen_channel);
  text_add(&row, ",");
  text_add_number(&row, mote->radio.seen_power);
  text_add(&row, ",");
  if(with_signal) {
    text_add_number(&row, strength(mote));
  }
  text_add(&row, "\n");
  append(&observer->events, row.bytes, row.used);
}

static enum state
state_of(const struct mote *mote)
{
  const struct radio *radio = &mote->radio;

  return radio->transmitting ? TRANSMITTING : !radio->on ? OFF : radio->interfered ? INTERFERED :
         radio->receiving ? RECEIVING : LISTENING;
}

const char *
observer_state_name(const struct mote *mote)
{
  return NAMES[state_of(mote)];
}

static void
account(struct watched *radio)
{
  int64_t now = observer->simulation->queue.now;

  radio->time[radio->state] += now - radio->since;
  radio->since = now;
}

void
observer_note_state(const struct mote *mote)
{
  struct watched *radio = &observer->radios[mote->index];
  enum state state = state_of(mote);

  if(radio->seen && state == radio->state) {
    return;
  }
  account(radio);
  radio->state = state;
  radio->seen = true;
  if(observer->file != NULL) {
    struct item item = item_of(state);
    add_number(&item, zigzag(mote->id));
    end_item(&item);
  }
  add_row(mote, NAMES[state], state == TRANSMITTING ? radio->sending : state == RECEIVING ? observer->starting : 0, false);
}

void
observe_start(const struct mote *mote, struct packet *packet)
{
  uint8_t head[CAPTURED_HEAD];
  uint32_t kept = packet->size < LONGEST ? packet->size : LONGEST;

  if(observer == NULL) {
    return;
  }
  begin_frame(mote);
  packet->number = observer->frame_count;
  if(observer->file != NULL) {
    struct item item = item_of(FRAME);
    add_sender(&item, mote, mote->radio.seen_channel, mote->radio.seen_power);
    add_number(&item, kept);
    held_reserve(&observer->record, item.used + kept);
    end_part(&item);
    append_part(&observer->record, packet->bytes, kept);
  }
  if(observer->folder != NULL) {
    fill_head(head, observer->simulation->queue.now, kept, packet->size);
    held_reserve(&observer->frames, sizeof(head) + kept);
    append_part(&observer->frames, head, sizeof(head));
    append_part(&observer->frames, packet->bytes, kept);
  }
  observer_note_state(mote);
}

void
observe_starting(uint64_t number)
{
  if(observer != NULL) {
    observer->starting = number;
  }
}

void
observe_sent(const struct mote *mote, bool reaches)
{
  if(observer == NULL) {
    return;
  }
  add_row(mote, observer_knows_partly(observer->radios[mote->index].sending) ? "cut" : "sent", observer->radios[mote->index].sending, false);
  if(observer->file != NULL && !reaches) { /* the silent medium has no end of it */
    observer_begin_fates(mote, 0, 0);
  }
}

void
observer_begin_fates(const struct mote *sender, uint32_t beyond, uint32_t count)
{
  struct item item = item_of(FRAME_END);

  add_number(&item, zigzag(sender->id));
  add_number(&item, beyond);
  add_number(&item, count);
  held_reserve(&observer->record, item.used + (size_t)count * LONGEST_FATE);
  end_part(&item);
  observer->fate_before = 0;
  observer->ending = observed_frame(sender);
}

static inline void
add_outcome(struct item *item, const struct mote *mote, uint64_t head, uint64_t number, enum fate fate)
{
  const struct watched *radio = &observer->radios[mote->index];

  add_number(item, head);
  if(fate == RECEIVED) {
    add_number(item, zigzag(radio->got == number ? radio->got_dbm : strength(mote)));
  }
}

void
observer_add_fate(const struct mote *mote, enum fate fate)
{
  struct item item = {.used = 0};

  add_outcome(&item, mote, zigzag((int64_t)mote->id - observer->fate_before) << 3 | fate, observer->ending, fate);
  observer->fate_before = mote->id;
  end_part(&item);
}

void
observer_note_late(const struct mote *mote, uint64_t number, enum fate fate)
{
  struct item item = item_of(OTHER);

  add_number(&item, LATE_END);
  add_number(&item, zigzag(mote->id));
  add_number(&item, number - 1);
  add_outcome(&item, mote, fate, number, fate);
  end_item(&item);
}

bool
observer_knows_received(const struct mote *mote, uint64_t number)
{
  return observer->radios[mote->index].got == number;
}

uint64_t
observed_frame(const struct mote *mote)
{
  return observer == NULL ? 0 : observer->radios[mote->index].sending;
}

bool
observer_wants_fates(void)
{
  return observer != NULL && observer->file != NULL;
}

static void
end_record(unsigned how)
{
  struct item item = item_of(OTHER);

  add_number(&item, RECORD_END);
  add_number(&item, how);
  log_append(&observer->record.log, (const char *)item.bytes, item.used);
}

void
observer_cut(void)
{
  if(observer == NULL) {
    return;
  }
  if(observer->record.first != NULL || observer->frames.first != NULL) {
    observer_flush(); /* so that there is room for what waits */
    outgoing_complete_all();
  }
  if(observer->file != NULL && LOG_BUFFER - observer->record.log.used > LONGEST_ITEM) {
    end_record(1);
  }
}

void
observe_hears(const struct mote *mote)
{
  if(observer != NULL) {
    observer->radios[mote->index].hears = observer->starting;
  }
}

bool
observer_hears(const struct mote *mote, uint64_t number)
{
  return observer->radios[mote->index].hears == number;
}

void
observer_note_reception(const struct mote *mote, bool intact)
{
  struct watched *radio = &observer->radios[mote->index];
  const struct packet *packet = mote->radio.packet;
  uint64_t number = packet != NULL ? packet->number : radio->hears;

  radio->hears = 0;
  if(number == 0) {
    return;
  }
  intact = intact && !observer_knows_partly(number);
  if(intact) {
    radio->got = number;
    radio->got_dbm = strength(mote);
  }
  add_row(mote, intact ? "received" : "lost", number, true);
}

void
observe_setting(const struct mote *mote, const char *setting)
{
  if(observer == NULL) {
    return;
  }
  add_row(mote, setting, 0, false);
  if(observer->file != NULL) {
    bool channel = strcmp(setting, "channel") == 0;
    struct item item = item_of(OTHER);
    add_number(&item, channel ? CHANNEL : POWER);
    add_number(&item, zigzag(mote->id));
    add_number(&item, zigzag(channel ? mote->radio.seen_channel : mote->radio.seen_power));
    end_item(&item);
  }
}

void
observer_end(void)
{
  static const char HEAD[] = "mote,off_us,listening_us,receiving_us,interfered_us,transmitting_us\n";
  const struct simulation *simulation = observer->simulation;
  struct held_log states = {.first = NULL};

  outgoing_complete_all();
  if(observer->file != NULL) {
    end_record(0);
  }
  if(observer->folder == NULL) {
    if(!observer_flush()) {
      report_error(ERROR_STORAGE, "can't write the record of the radios, %s", observer->file);
    }
    return;
  }
  open_file(&states, observer->folder, "states.csv");
  append(&states, HEAD, sizeof(HEAD) - 1);
  for(uint32_t i = 0; i < simulation->mote_count; i++) {
    struct watched *radio = &observer->radios[i];
    char bytes[LONGEST_ROW];
    struct text row = {bytes, 0, sizeof(bytes)};
    if(!radio->seen) {
      continue; /* it has none */
    }
    account(radio);
    text_add_number(&row, simulation->motes[i].id);
    for(int state = 0; state < STATES; state++) {
      text_add(&row, ",");
      text_add_number(&row, radio->time[state]);
    }
    text_add(&row, "\n");
    append(&states, row.bytes, row.used);
  }
  if(!observer_flush() || !log_flush(&states.log)) {
    report_error(ERROR_STORAGE, "can't write the record of the radios in %s", observer->folder);
  }
}
