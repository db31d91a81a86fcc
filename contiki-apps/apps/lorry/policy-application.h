/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of this application that policies call: contiki-apps/policies/policy-extension.yaml. */
#ifndef POLICY_APPLICATION_H_
#define POLICY_APPLICATION_H_

#include <stdint.h>

/* getData(): a fresh reading of the smoke detector. */
int16_t policy_get_data(void);

/* sendAlert() */
void policy_send_alert(void);

#endif
