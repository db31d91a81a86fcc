/* SPDX-License-Identifier: Apache-2.0 */
#include "deployment.h"
/*---------------------------------------------------------------------------*/
bool
deployment_at(uint8_t deployment, uint8_t share, uint16_t depth,
              uint16_t deepest)
{
  uint32_t levels = ((uint32_t)deepest * share + 50) / 100;

  if(depth == 0 || depth > deepest) {
    return false;
  }
  switch(deployment) {
  case DEPLOYMENT_NEAR:
    return depth <= levels;
  case DEPLOYMENT_FAR:
    return depth + levels > deepest;
  default:
    /* Of so many equal parts of the distances, does one end in the hop up to
       this depth? */
    return depth * levels / deepest > (depth - 1) * levels / deepest;
  }
}
