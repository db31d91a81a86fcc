/* SPDX-License-Identifier: Apache-2.0 */
#include "net/linkaddr.h"

linkaddr_t linkaddr_node_addr;
const linkaddr_t linkaddr_null;
