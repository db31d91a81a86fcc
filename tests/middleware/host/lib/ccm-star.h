/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../../contiki-apps/os/lib/ccm-star.h"
