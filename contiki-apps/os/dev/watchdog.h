/* SPDX-License-Identifier: Apache-2.0 */
/* The watchdog. It does nothing here: if a simulated mote hangs, the engine
   notices. */
#ifndef WATCHDOG_H_
#define WATCHDOG_H_

void watchdog_init(void);
void watchdog_start(void);
void watchdog_periodic(void);
void watchdog_stop(void);
void watchdog_reboot(void) __attribute__((noreturn));

#endif
