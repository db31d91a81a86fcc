/* SPDX-License-Identifier: Apache-2.0 */
/* A program that measures how long code takes, with nothing of the system running beside it. */
#ifndef MEASURE_H_
#define MEASURE_H_

/* Where a measurement begins and ends. */
void began(void);
void ended(void);

/* What is measured: it calls `began` before and `ended` after. */
void measure(void);

#endif
