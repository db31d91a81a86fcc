/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mote that stands for a border router and the motes behind it: it asks for a prefix as Contiki-NG's does, then every
 * address of the prefix answers pings, echoes UDP at port 7, serves CoAP at port 5683, and refuses other ports.
 * It is compiled behind engine_firmware.HEAD.
 */
char simSerialReceivingFlag, simSerialReceivingData[2048];
int simSerialReceivingLength;

static uint8_t frame[2048], reply[1400];
static int length, escaped, answered;

static void slip(const uint8_t *bytes, int count) {
  print("\xc0", 1);
  for(int i = 0; i < count; i++) {
    if(bytes[i] == 0xc0) print("\xdb\xdc", 2);
    else if(bytes[i] == 0xdb) print("\xdb\xdd", 2);
    else print((const char *)&bytes[i], 1);
  }
  print("\xc0", 1);
}

/* Sums up what the checksum covers, RFC 8200, 8.1; 0xffff if the checksum in it is right. */
static unsigned sum(const uint8_t *packet, int count) {
  unsigned long total = (unsigned)(count - 40) + packet[6];
  for(int i = 8; i < count; i++) total += i % 2 ? packet[i] : packet[i] << 8;
  while(total >> 16) total = (total & 0xffff) + (total >> 16);
  return (unsigned)total;
}

/* Sends the reply of so many bytes behind the header; its checksum is at this place. */
static void send_reply(int protocol, int count, int place) {
  reply[0] = 0x60;
  reply[4] = count >> 8, reply[5] = count & 0xff;
  reply[6] = protocol, reply[7] = 63;
  memcpy(reply + 8, frame + 24, 16);
  memcpy(reply + 24, frame + 8, 16);
  reply[place] = reply[place + 1] = 0;
  unsigned check = 0xffff & ~sum(reply, 40 + count);
  reply[place] = check >> 8, reply[place + 1] = check & 0xff;
  slip(reply, 40 + count);
}

static void take_udp(void) {
  int port = frame[42] << 8 | frame[43], count = length - 48;
  memset(reply, 0, sizeof(reply));
  if(port != 7 && port != 5683) {
    int quoted = length > 1200 ? 1200 : length;
    reply[40] = 1, reply[41] = 4;
    memcpy(reply + 48, frame, quoted);
    send_reply(58, 8 + quoted, 42);
    return;
  }
  memcpy(reply + 40, frame + 42, 2);
  memcpy(reply + 42, frame + 40, 2);
  memcpy(reply + 48, frame + 48, count);
  if(port == 5683) { /* 2.05 Content in the acknowledgement, with the token */
    int token = frame[48] & 15;
    reply[48] = 0x60 | token, reply[49] = 0x45;
    count = 4 + token + snprintf((char *)reply + 52 + token, 40, "\xff" "mote %d here", frame[39]);
  }
  reply[44] = (8 + count) >> 8, reply[45] = (8 + count) & 0xff;
  send_reply(17, 8 + count, 46);
}

static void take(void) {
  if(length >= 10 && frame[0] == '!' && frame[1] == 'P') {
    answered = 1;
    SAY("prefix %02x%02x\n", frame[2], frame[3]);
  } else if(length >= 48 && frame[0] >> 4 == 6 && sum(frame, length) == 0xffff) {
    if(frame[6] == 17) take_udp();
    if(frame[6] == 58 && frame[40] == 128) {
      memcpy(reply + 40, frame + 40, length - 40);
      reply[40] = 129;
      send_reply(58, length - 40, 42);
    }
  } else {
    SAY("garbage of %d\n", length);
  }
}

void cooja_tick(void) {
  if(first()) etimer(100);
  for(int i = 0; simSerialReceivingFlag && i < simSerialReceivingLength; i++) {
    uint8_t byte = simSerialReceivingData[i];
    if(byte == 0xc0) {
      if(length) take();
      length = escaped = 0;
    } else if(byte == 0xdb && !escaped) {
      escaped = 1;
    } else if(length < sizeof(frame)) {
      frame[length++] = !escaped ? byte : byte == 0xdc ? 0xc0 : 0xdb;
      escaped = 0;
    }
  }
  simSerialReceivingFlag = simSerialReceivingLength = 0;
  if(due() && !answered) {
    etimer(1000);
    SAY("waiting for a prefix\n");
    slip((const uint8_t *)"?P", 2);
  }
}
