/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/node-id.h"

#include "platform/mote.h"

uint16_t node_id;

void
node_id_init(void)
{
  node_id = (uint16_t)simMoteID;
}
