/* SPDX-License-Identifier: Apache-2.0 */
/* The watchdog: a simulated mote that hangs is the engine's to notice. */
#ifndef WATCHDOG_H_
#define WATCHDOG_H_

void watchdog_init(void);
void watchdog_start(void);
void watchdog_periodic(void);
void watchdog_stop(void);
void watchdog_reboot(void) __attribute__((noreturn));

#endif
