/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../../contiki-apps/os/lib/aes-128.h"
