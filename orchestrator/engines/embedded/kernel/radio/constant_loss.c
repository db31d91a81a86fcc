/* SPDX-License-Identifier: Apache-2.0 */
/* Cooja's UDGM with constant loss: the probability of reception is the same everywhere within the range. */
#include "radio/unit_disk.h"

static double
constant(const struct medium *medium, double distance, double range)
{
  (void)distance;
  (void)range;
  return medium->reception_ratio;
}

static void
connect_constant(struct simulation *simulation, struct mote *source, struct packet *packet)
{
  unit_disk_connect(simulation, source, packet, constant);
}

static const struct medium_rules constant_loss = {.name = "udgm-constant-loss", .placed = true, .init = unit_disk_init,
                                                  .connect = connect_constant, .update = unit_disk_update, .update_bytes = unit_disk_update_bytes, .join =
                                                  unit_disk_join, .leave = unit_disk_leave, .work_out = unit_disk_work_out};
MEDIUM(constant_loss)
