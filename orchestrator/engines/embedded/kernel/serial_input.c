/* SPDX-License-Identifier: Apache-2.0 */
#include "serial_input.h"

#include "idle.h"
#include "watch.h"

#include <string.h>

enum { BUFFER_SIZE = 16 * 1024 }; /* Cooja's limit; Contiki-NG's buffer has 2,048 bytes */

/* Looked up only for motes that are written to: firmware that no one writes to may lack them. */
static uint8_t *
variable(struct mote *mote, const char *name, uint64_t least, uint64_t *size)
{
  uint64_t offset;

  if(!firmware_variable(&mote->type->firmware, name, &offset, size) || *size < least) {
    watch_mote_fault(mote, "the script writes to its serial port, and its firmware has no simSerialReceiving{Data,Length,Flag}");
  }
  return mote->image + offset;
}

void
serial_input_write(struct simulation *simulation, struct mote *mote, const char *bytes, size_t length)
{
  uint64_t room, size;
  uint8_t *data = variable(mote, "simSerialReceivingData", 1, &room);
  uint8_t *count = variable(mote, "simSerialReceivingLength", sizeof(int), &size);
  int used;

  memcpy(&used, count, sizeof(used));
  if(used < 0 || (uint64_t)used > room) {
    watch_mote_fault(mote, "simSerialReceivingLength reaches outside of simSerialReceivingData");
  }
  if(used + length <= BUFFER_SIZE) { /* Cooja drops what is more than its own limit */
    if(used + length > room) {
      watch_mote_fault(mote, "the script writes more to its serial port than simSerialReceivingData has room for; Cooja overwrites the "
                             "variables behind it");
    }
    memcpy(data + used, bytes, length);
    used += (int)length;
    memcpy(count, &used, sizeof(used));
    *variable(mote, "simSerialReceivingFlag", 1, &size) = 1;
  }
  idle_disturb(mote);
  queue_wake(&simulation->queue, &mote->wakeup, simulation->queue.now);
}
