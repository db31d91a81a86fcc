/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/serial-line.h"
#include "platform/mote.h"

/* Called by the tick. Cooja hands over whole lines without their end. */
void
mote_serial_input(void)
{
  int size = MIN(simSerialReceivingLength, MOTE_CONF_SERIAL_SIZE);

  for(int i = 0; i < size; i++) {
    serial_line_input_byte((unsigned char)simSerialReceivingData[i]);
  }
  if(size > 0) {
    serial_line_input_byte('\n');
  }
  simSerialReceivingLength = 0;
  simSerialReceivingFlag = 0;
}
