/* SPDX-License-Identifier: Apache-2.0 */
/* Sequence numbers of frames: the mote's own, and the last ones of each sender, so
   that a frame that was repeated because its ACK was lost is delivered only
   once. */
#ifndef MAC_SEQUENCE_H_
#define MAC_SEQUENCE_H_

void mac_sequence_init(void);
void mac_sequence_set_dsn(void);        /* the next one, into the packet buffer */
int mac_sequence_is_duplicate(void);    /* of what is in the packet buffer */
void mac_sequence_register_seqno(void); /* likewise */

#endif
