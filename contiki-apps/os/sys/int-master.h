/* SPDX-License-Identifier: Apache-2.0 */
/* Contiki's name for the platform's header. */
#include <int-master.h>
