/* SPDX-License-Identifier: Apache-2.0 */
/* The time in each of Energest's states over a measured time, for the log. */
#ifndef ENERGY_STATES_H_
#define ENERGY_STATES_H_

/* The measured time begins, and ends: remember the times as they are. */
void energy_states_begin(void);
void energy_states_end(void);

/* Print the records `nrg`. */
void energy_states_dump(void);

#endif
