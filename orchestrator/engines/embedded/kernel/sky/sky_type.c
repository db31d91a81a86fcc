/* SPDX-License-Identifier: Apache-2.0 */
/* Mote types of emulated Tmote Skys: their firmware and interfaces. */
#include "base/report.h"
#include "msp430/image.h"
#include "sky/sky.h"

#include <string.h>

void
sky_open(struct mote_type *type)
{
  uint32_t address, size;

  type->sky_image = msp430_image_read(type->path);
  if(type->sky_table == NULL) {
    return;
  }
  if(!msp430_image_variable(type->sky_image, "images", &address, &size) || size < type->sky_table_size) {
    report_error(ERROR_LOAD, "%s has no variable `images` of %zu bytes", type->path, type->sky_table_size);
  }
  memcpy(type->sky_image->memory + address, type->sky_table, type->sky_table_size);
}

bool
sky_interface(struct mote_type *type, const char *name)
{
  static const struct {
    const char *name;
    uint32_t interface, own;
  } KNOWN[] = {
    {"Position", WITH_Position, 0}, {"IPAddress", WITH_IPAddress, 0}, {"Mote2MoteRelations", WITH_Mote2MoteRelations, 0},
    {"MoteAttributes", WITH_MoteAttributes, 0}, {"MspClock", WITH_ContikiClock, 0}, {"MspMoteID", WITH_ContikiMoteID, 0},
    {"Msp802154Radio", WITH_ContikiRadio, 0}, {"MspSerial", WITH_ContikiRS232, 0}, {"MspLED", WITH_ContikiLED, 0},
    {"SkyButton", WITH_ContikiButton, 0}, {"SkyFlash", 0, SKY_FLASH}, {"SkyCoffeeFilesystem", 0, 0}, {"SkyTemperature", 0, 0},
    {"MspDebugOutput", 0, SKY_DEBUG_OUTPUT},
  };

  for(size_t i = 0; i < sizeof(KNOWN) / sizeof(KNOWN[0]); i++) {
    if(strcmp(KNOWN[i].name, name) == 0) {
      type->interfaces |= KNOWN[i].interface;
      type->sky_interfaces |= KNOWN[i].own;
      return true;
    }
  }
  return false;
}
