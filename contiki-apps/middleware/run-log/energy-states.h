/* SPDX-License-Identifier: Apache-2.0 */
/* Logs the time in each of Energest's states over the measured time. */
#ifndef ENERGY_STATES_H_
#define ENERGY_STATES_H_

/* The measured time begins, and ends: remember the times as they are. */
void energy_states_begin(void);
void energy_states_end(void);

/* Print the records `nrg`. */
void energy_states_dump(void);

#endif
