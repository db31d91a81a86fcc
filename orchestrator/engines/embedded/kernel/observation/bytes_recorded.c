/* SPDX-License-Identifier: Apache-2.0 */
/* Transmissions that go byte by byte, of the radios of emulated boards, in the records. */
#include "base/memory.h"
#include "observation/observer.h"
#include "observation/recording.h"

#include <string.h>

void
observe_outgoing(const struct mote *mote, const struct outgoing *outgoing)
{
  struct transmission *transmission;

  if(observer == NULL) {
    return;
  }
  begin_frame(mote);
  transmission = observer->radios[mote->index].transmission;
  if(transmission == NULL) {
    transmission = observer->radios[mote->index].transmission = allocate(1, sizeof(*transmission));
  }
  transmission->outgoing = outgoing;
  transmission->since = observer->simulation->queue.now;
  transmission->channel = mote->radio.seen_channel;
  transmission->power = mote->radio.seen_power;
  if(observer->file != NULL) {
    transmission->head = item_of(FRAME);
    transmission->item = held_gap(&observer->record);
  }
  if(observer->folder != NULL) {
    transmission->captured = held_gap(&observer->frames);
  }
  observer_note_state(mote);
}

/* What went out of it is known: fills the gaps. */
static void
complete(const struct mote *mote, struct transmission *transmission)
{
  const struct outgoing *outgoing = transmission->outgoing;
  unsigned sent = outgoing_sent(outgoing), announced = outgoing->synchronized ? outgoing->size : 0;
  uint8_t bytes[HELD_GAP];

  transmission->outgoing = NULL;
  if(observer->file != NULL) {
    struct item item = transmission->head;
    if(!outgoing->whole) {
      item.bytes[0] |= OTHER;
      add_number(&item, PART_OF_FRAME);
    }
    add_sender(&item, mote, transmission->channel, transmission->power);
    if(!outgoing->whole) {
      add_number(&item, announced);
    }
    add_number(&item, sent);
    memcpy(bytes, item.bytes, item.used);
    memcpy(bytes + item.used, outgoing->bytes + HEADER_SIZE, sent);
    held_fill(&observer->record, transmission->item, bytes, item.used + sent);
  }
  if(observer->folder != NULL) {
    unsigned size = announced > 0 || outgoing->whole ? announced : outgoing->sent; /* if no length went out: of no frame */
    fill_head(bytes, transmission->since, sent, size > sent ? size : sent);
    memcpy(bytes + CAPTURED_HEAD, outgoing->bytes + HEADER_SIZE, sent);
    held_fill(&observer->frames, transmission->captured, bytes, CAPTURED_HEAD + sent);
  }
}

static void
note_partly(uint64_t number)
{
  uint64_t size = observer->partly_size;

  if(number / 8 >= size) {
    observer->partly_size = 2 * (number / 8 + 1);
    observer->partly = reallocate(observer->partly, observer->partly_size, 1);
    memset(observer->partly + size, 0, observer->partly_size - size);
  }
  observer->partly[number / 8] |= (uint8_t)(1 << number % 8);
}

bool
observer_knows_partly(uint64_t number)
{
  return number / 8 < observer->partly_size && (observer->partly[number / 8] >> number % 8 & 1) != 0;
}

void
observe_outgoing_end(const struct mote *mote)
{
  struct transmission *transmission = observer == NULL ? NULL : observer->radios[mote->index].transmission;

  if(transmission != NULL && transmission->outgoing != NULL) {
    if(!transmission->outgoing->whole) {
      note_partly(observed_frame(mote));
    }
    complete(mote, transmission);
  }
}

void
outgoing_complete_all(void)
{
  for(uint32_t i = 0; i < observer->simulation->mote_count; i++) {
    struct transmission *transmission = observer->radios[i].transmission;
    if(transmission != NULL && transmission->outgoing != NULL) {
      complete(&observer->simulation->motes[i], transmission);
    }
  }
}
