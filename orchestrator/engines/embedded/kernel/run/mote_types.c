/* SPDX-License-Identifier: Apache-2.0 */
#include "run/mote_types.h"

#include "loader/load.h"
#include "msp430/msp430.h"
#include "motes/shared_sections.h"
#include "run/capacity.h"
#include "sky/sky.h"
#include "ticks/idle.h"

void
mote_type_open(const struct simulation *simulation, struct mote_type *type)
{
  if(type->is_sky) {
    sky_open(type);
    if(simulation->counts_cycles) {
      msp430_image_count(type->sky_image);
    }
    return;
  }
  firmware_open(&type->firmware, type->path, type->capacity, capacity_mappings(simulation, type), !simulation->code_per_mote,
                simulation->guards);
  abi_resolve(&type->abi, &type->firmware, type->interfaces);
  idle_open(type, !simulation->every_tick);
  shared_sections_open(type);
}
