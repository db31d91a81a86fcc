/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a topic's aggregation takes beside the module's own: an
   application declares it, and `make sizes` counts it. No file includes this
   one. */
#include "merge-function.h"
#include "patience.h"

struct merge_attribute merge_attribute;
struct merge_patience patience;
