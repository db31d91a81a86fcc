/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "components.h"
#include "policy-application.h"
#include "world.h"
/*---------------------------------------------------------------------------*/
int16_t
policy_get_data(void)
{
  return world_smoke();
}
/*---------------------------------------------------------------------------*/
void
policy_send_alert(void)
{
  lorry_does("alert");
}
