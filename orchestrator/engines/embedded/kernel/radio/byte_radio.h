/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The radio of an emulated board, like Cooja's Msp802154Radio: frames go byte by byte from chip to chip, and a chip measures
 * the mean of what it has heard last. Radios of Cooja motes get a frame as a whole at its end, and theirs come as bytes.
 */
#ifndef BYTE_RADIO_H
#define BYTE_RADIO_H

#include "radio/medium.h"

enum { BYTE_US = 32 }; /* 250 kbit/s */
enum { MEASURED = 8 }; /* values in the mean strength */

struct byte_radio_chip {
  void (*catch_up)(struct simulation *simulation, struct mote *mote); /* its microcontroller runs up to the present time */
  void (*be_measured)(struct simulation *simulation, struct mote *mote); /* the same, if it could notice another strength */
  void (*receive)(struct mote *mote, uint8_t byte);
  void (*set_strength)(struct mote *mote, int dbm);
  void (*set_quality)(struct mote *mote, int lqi);
  bool (*listens)(const struct mote *mote); /* so that a frame can begin */
  bool (*follows)(const struct mote *mote, bool to_its_end); /* it takes a frame; `to_its_end`: but for the last byte it has all */
};

struct byte_radio {
  const struct byte_radio_chip *chip;
  struct mote *mote;
  double signal; /* dBm, of what it hears now */
  double last[MEASURED];
  unsigned to_measure; /* so many further values */
  unsigned removals;   /* of the mote, when the next measurement was queued */
  int64_t comes_until; /* us, when the last byte of a Cooja mote's frame comes: its bytes come after the frame has ended */
  struct outgoing outgoing;
  int64_t began_us; /* when it began to send that */
  bool bit_errors;  /* it receives weak signals with errors */
};

/* Requires that the radio's power and channel are set. */
void byte_radio_init(struct mote *mote, const struct byte_radio_chip *chip);

/* ---- The chip tells what it does. ---- */

void byte_radio_send(struct simulation *simulation, struct mote *mote, uint8_t byte);

/* It listens, sends, or does neither: `on` says whether it does one of these, `ready` whether a frame can begin. */
void byte_radio_mode_changed(struct simulation *simulation, struct mote *mote, bool on, bool ready);
void byte_radio_channel_changed(struct simulation *simulation, struct mote *mote, int channel);
void byte_radio_power_changed(struct simulation *simulation, struct mote *mote, int level);

/* ---- The medium tells what reaches the radio. ---- */

void byte_radio_hear(struct simulation *simulation, struct mote *mote, double dbm);
void byte_radio_receive(struct simulation *simulation, struct mote *mote, uint8_t byte);
void byte_radio_receive_frame(struct simulation *simulation, struct mote *mote, const struct packet *packet);
void byte_radio_end(struct simulation *simulation, struct mote *mote);

/* Whether the chip takes the frame whose transmission ends now. */
bool byte_radio_takes(const struct simulation *simulation, const struct mote *mote);

/* A radio is added to the medium or removed; one of a Cooja mote changes nothing. */
void byte_radios_join(struct simulation *simulation, struct mote *mote);
void byte_radios_leave(struct medium *medium, const struct mote *mote);

/* Raises what a radio hears to this strength, if it is of an emulated board. */
static inline void
byte_radio_raise(struct simulation *simulation, struct mote *mote, double dbm)
{
  if(mote->radio.bytes != NULL && mote->radio.bytes->signal < dbm) {
    byte_radio_hear(simulation, mote, dbm);
  }
}

/* The first part of each update: nobody hears anything but what there is without transmissions. */
static inline void
byte_radios_quiet(struct simulation *simulation)
{
  struct medium *medium = simulation->medium;

  for(uint32_t i = 0; i < medium->byte_radio_count; i++) {
    byte_radio_hear(simulation, medium->byte_radios[i], medium->byte_radios[i]->exact_quiet_dbm);
  }
}

#endif
