/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three threads of Stelte (2010), section 6.1: one publishes a number and
 * sleeps 30 ms; subscriber 1 runs on notification only; subscriber 2 sleeps 10 ms
 * after each run. How much CPU each uses is modelled (cpu_use).
 */
#ifndef TEST_CASE_H_
#define TEST_CASE_H_

/* Starts them and the blackboard, as `configuration` says. */
void test_case_start(void);

/* The publisher finishes its current work and ends. */
void test_case_publish_no_more(void);

/* No thread but the blackboard's is left. */
void test_case_stop(void);

#endif
