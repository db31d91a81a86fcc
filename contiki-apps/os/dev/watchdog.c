/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/watchdog.h"

void
watchdog_init(void)
{
}

void
watchdog_start(void)
{
}

void
watchdog_periodic(void)
{
}

void
watchdog_stop(void)
{
}
