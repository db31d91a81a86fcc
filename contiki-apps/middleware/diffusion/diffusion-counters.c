/* SPDX-License-Identifier: Apache-2.0 */
#include "diffusion-counters.h"

struct diffusion_counters diffusion_counters;
