/* SPDX-License-Identifier: Apache-2.0 */
/* Includes all headers of the network stack. */
#ifndef CONTIKI_NET_H_
#define CONTIKI_NET_H_

#include "contiki.h"
#include "net/linkaddr.h"
#include "net/netstack.h"
#include "net/packetbuf.h"
#include "net/queuebuf.h"

#endif
