/* SPDX-License-Identifier: Apache-2.0 */
/* What a topic's aggregation takes beside the module's own memory: an
   application declares it, `make sizes` counts it. Nothing includes this. */
#include "merge-function.h"
#include "patience.h"

struct merge_attribute merge_attribute;
struct merge_patience patience;
