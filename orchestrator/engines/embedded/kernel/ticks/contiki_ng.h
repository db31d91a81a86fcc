/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a firmware's Contiki-NG one whose ticks are known? What idle.c believes of them was compared with real Cooja for one
 * release, 5.0 (docs/byte-identity.md). It is told by two things:
 * - The release that the firmware prints when it boots: "Contiki-NG-" and what `git describe` said where it was built. One
 *   that names a release other than 5.0 is refused. A tree outside of git, or without tags, names none.
 * - The static variables of the files that make up a tick. These are the same whoever compiles them. A release, or a
 *   change of the user's, that adds one (a counter in the main loop) or leaves one out is refused. Releases up to 4.9
 *   have others.
 * Whatever is refused runs every tick, as Cooja does: slower, and never otherwise.
 */
#ifndef CONTIKI_NG_H
#define CONTIKI_NG_H

#include "loader/firmware.h"

bool contiki_ng_is_known(const struct firmware *firmware);

#endif
