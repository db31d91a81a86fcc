/* SPDX-License-Identifier: Apache-2.0 */
/* Cooja's silent medium: frames reach no radio, and signal strengths are those that the motes' configuration gives. */
#include "radio/medium.h"

static void
no_init(struct simulation *simulation)
{
  (void)simulation;
}

static void
no_connect(struct simulation *simulation, struct mote *source, struct packet *packet)
{
  (void)simulation;
  (void)source;
  (void)packet;
}

static const struct medium_rules silent = {.name = "silent", .init = no_init, .connect = no_connect, .update_all = no_init};
MEDIUM(silent)
