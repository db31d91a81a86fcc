/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/identity.h"

#include <string.h>

enum { INFORMATION = 0x1980, INFORMATION_SIZE = 10 };

/* Of Contiki, and of TinyOS. */
static const char *const NAMES[IDENTITY_VARIABLES] = {"node_id", "TOS_NODE_ID", "ActiveMessageAddressC__addr",
                                                      "ActiveMessageAddressC$addr"};

static void
write_word(struct msp430 *mcu, uint32_t address, int value)
{
  msp430_memory(mcu)[address] = (uint8_t)value;
  msp430_memory(mcu)[address + 1] = (uint8_t)(value >> 8);
  msp430_memory_changed(mcu, address, 2);
}

/* A part of memory that is erased gets the id in a form that old firmware reads. */
static void
write_information(struct msp430 *mcu, int id)
{
  uint8_t *information = msp430_memory(mcu) + INFORMATION;
  const uint8_t content[INFORMATION_SIZE] = {0xab, 0xcd, 0x02, 0x12, 0x74, 0, 0, 1, 0, (uint8_t)id};

  for(int i = 0; i < INFORMATION_SIZE; i++) {
    if(information[i] != 0xff) {
      return;
    }
  }
  memcpy(information, content, sizeof(content));
  msp430_memory_changed(mcu, INFORMATION, INFORMATION_SIZE);
}

uint32_t
identity_variable(const struct msp430 *mcu, const char *name)
{
  uint32_t address, size;

  return msp430_image_variable(msp430_image(mcu), name, &address, &size) ? address : 0;
}

bool
identity_set(struct identity *identity, int id, int seed)
{
  uint32_t seed_at = identity_variable(identity->mcu, "rseed");
  bool is_contiki = false;

  identity->id = id;
  write_information(identity->mcu, id);
  for(int i = 0; i < IDENTITY_VARIABLES; i++) {
    uint32_t address = identity_variable(identity->mcu, NAMES[i]);
    if(address == 0) {
      continue;
    }
    write_word(identity->mcu, address, id);
    if(i == 0) {
      is_contiki = true;
      if(seed_at != 0) {
        write_word(identity->mcu, seed_at, seed);
      }
    }
    if(address % 2 == 0 && identity->at[i] == 0) {
      identity->at[i] = address;
      msp430_watch(identity->mcu, address, 2);
    }
  }
  return is_contiki;
}

void
identity_written(const struct identity *identity, uint32_t address)
{
  for(int i = 0; i < IDENTITY_VARIABLES; i++) {
    if(identity->at[i] != 0 && (address & ~1u) == identity->at[i]) {
      write_word(identity->mcu, identity->at[i], identity->id);
    }
  }
}

void
identity_release(struct identity *identity)
{
  for(int i = 0; i < IDENTITY_VARIABLES; i++) {
    if(identity->at[i] != 0) {
      msp430_unwatch(identity->mcu, identity->at[i], 2);
      identity->at[i] = 0;
    }
  }
}
