/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/serial_input.h"

#include "observation/watch.h"
#include "radio/radio.h"
#include "sky/sky.h"

#include <string.h>

enum { BUFFER_SIZE = 16 * 1024 }; /* Cooja's limit; Contiki-NG's buffer has 2,048 bytes, and Cooja writes over what lies behind it */

/* Looked up only for motes that get serial input, because other firmware may lack them. Its size goes to `size`. */
static uint8_t *
variable(struct mote *mote, const char *name, uint64_t least, uint64_t *size)
{
  uint64_t offset;

  if(!firmware_variable(&mote->type->firmware, name, &offset, size) || *size < least || mote_reach(mote, (uint32_t)offset) < least) {
    watch_mote_fault(mote, "something is written to its serial port, and its firmware has no simSerialReceiving{Data,Length,Flag}");
  }
  return mote->image + offset;
}

/* Writes in Cooja's order: input longer than the buffer may overwrite the length, the flag and everything else behind. */
static void
append(struct simulation *simulation, struct mote *mote, int used, const char *bytes, size_t length)
{
  uint64_t size, room, flag_size;
  uint8_t *count = variable(mote, "simSerialReceivingLength", sizeof(int), &size);
  uint8_t *data = variable(mote, "simSerialReceivingData", 1, &room);
  int filled = used + (int)length;
  bool overruns = (uint64_t)filled > room && mote_has(mote, WITH_ContikiRadio);

  if(used < 0 || (uint64_t)filled > mote_reach(mote, (uint32_t)(data - mote->image))) {
    watch_mote_fault(mote, "more is written to its serial port than there is memory behind simSerialReceivingData; Cooja stops there, "
                     "too: write less at a time, or make the buffer larger");
  }
  if(overruns && mote->radio.dirty) {
    radio_write_back(mote);
  }
  memcpy(count, &filled, sizeof(filled));
  memcpy(data + used, bytes, length);
  *variable(mote, "simSerialReceivingFlag", 1, &flag_size) = 1;
  if(overruns) {
    radio_after_overrun(simulation, mote);
  }
}

void
serial_input_write(struct simulation *simulation, struct mote *mote, const char *bytes, size_t length)
{
  uint64_t size;
  int used;

  if(mote->sky != NULL) {
    sky_write(simulation, mote, (const uint8_t *)bytes, length);
    return;
  }
  memcpy(&used, variable(mote, "simSerialReceivingLength", sizeof(used), &size), sizeof(used));
  if(used + (int64_t)length <= BUFFER_SIZE) { /* what is more, Cooja drops */
    append(simulation, mote, used, bytes, length);
  }
  mote_must_tick(mote);
  queue_wake(&simulation->queue, &mote->wakeup, simulation->queue.now);
}
