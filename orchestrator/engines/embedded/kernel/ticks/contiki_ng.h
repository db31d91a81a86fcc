/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognises firmware with a Contiki-NG whose ticks may be skipped. What idle.c assumes about them was compared with real
 * Cooja for one release, 5.0 (docs/evidence/byte-identity.md). It is recognised by:
 * - The release that the firmware prints when it boots: "Contiki-NG-" and the output of `git describe` where it was built.
 *   A release other than 5.0 is refused. A tree without git or tags prints no release.
 * - The static variables of the files that make up a tick, which do not depend on the compiler. A release, or a change by
 *   the user, that adds one (a counter in the main loop) or removes one is refused. Releases up to 4.9 have others.
 * Firmware that is refused runs every tick, as in Cooja, which is slower and gives the same results.
 */
#ifndef CONTIKI_NG_H
#define CONTIKI_NG_H

#include "loader/firmware.h"

bool contiki_ng_is_known(const struct firmware *firmware);

#endif
