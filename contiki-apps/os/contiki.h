/* SPDX-License-Identifier: Apache-2.0 */
/* Every Contiki source includes this first. */
#ifndef CONTIKI_H_
#define CONTIKI_H_

#include "contiki-conf.h"
#include "contiki-default-conf.h"

#include "sys/cc.h"
#include "sys/process.h"
#include "sys/autostart.h"
#include "sys/clock.h"
#include "sys/timer.h"
#include "sys/etimer.h"
#include "sys/ctimer.h"
#include "sys/rtimer.h"
#include "sys/pt.h"

#endif
