/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROJECT_CONF_H_
#define PROJECT_CONF_H_

#define ENERGEST_CONF_ON 1

/* Boards may be larger than the thesis's. */
#define EVENT_SERVICE_CONF_REQUESTS 8
#define EVENT_SERVICE_CONF_SUBSCRIPTIONS 16

/* Total size of offers, asks and condition; the radio's frame has room for it. */
#define EVENT_SERVICE_CONF_TERMS 64

#define EVENT_SERVICE_CONF_BINDINGS 8
#define EVENT_SERVICE_CONF_RENEWAL 1

#endif
