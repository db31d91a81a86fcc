/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPIC_H_
#define TOPIC_H_

/* The subject of the experiment's topic, and of the second where there are two. */
#define TOPIC "reading"
#define SECOND_TOPIC "second"

#endif
