/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a radio driver. Parameters that a driver doesn't know get
   RADIO_RESULT_NOT_SUPPORTED. */
#ifndef RADIO_H_
#define RADIO_H_

#include <stddef.h>

typedef int radio_value_t;
typedef unsigned radio_param_t;

enum radio_param_e {
  RADIO_PARAM_POWER_MODE,
  RADIO_PARAM_CHANNEL,
  RADIO_PARAM_PAN_ID,
  RADIO_PARAM_16BIT_ADDR,
  RADIO_PARAM_RX_MODE,
  RADIO_PARAM_TX_MODE,
  RADIO_PARAM_TXPOWER,
  RADIO_PARAM_CCA_THRESHOLD,
  RADIO_PARAM_RSSI,
  RADIO_PARAM_LAST_RSSI,
  RADIO_PARAM_IQ_LSBS,
  RADIO_PARAM_LAST_LINK_QUALITY,
  RADIO_PARAM_64BIT_ADDR,
  RADIO_PARAM_LAST_PACKET_TIMESTAMP,
  RADIO_PARAM_SHR_SEARCH,
  RADIO_CONST_CHANNEL_MIN,
  RADIO_CONST_CHANNEL_MAX,
  RADIO_CONST_TXPOWER_MIN,
  RADIO_CONST_TXPOWER_MAX,
  RADIO_CONST_TSCH_TIMING,
  RADIO_CONST_PHY_OVERHEAD,
  RADIO_CONST_BYTE_AIR_TIME,
  RADIO_CONST_DELAY_BEFORE_TX,
  RADIO_CONST_DELAY_BEFORE_RX,
  RADIO_CONST_DELAY_BEFORE_DETECT,
  RADIO_CONST_MAX_PAYLOAD_LEN
};

enum radio_power_mode_e {
  RADIO_POWER_MODE_OFF,
  RADIO_POWER_MODE_ON,
  RADIO_POWER_MODE_CARRIER_ON,
  RADIO_POWER_MODE_CARRIER_OFF
};

#define RADIO_RX_MODE_ADDRESS_FILTER (1 << 0)
#define RADIO_RX_MODE_AUTOACK (1 << 1)
#define RADIO_RX_MODE_POLL_MODE (1 << 2)
#define RADIO_TX_MODE_SEND_ON_CCA (1 << 0)

typedef enum radio_result_e {
  RADIO_RESULT_OK,
  RADIO_RESULT_NOT_SUPPORTED,
  RADIO_RESULT_INVALID_VALUE,
  RADIO_RESULT_ERROR
} radio_result_t;

enum radio_tx_e {
  RADIO_TX_OK,
  RADIO_TX_ERR,
  RADIO_TX_COLLISION,
  RADIO_TX_NOACK
};

struct radio_driver {
  int (*init)(void);
  int (*prepare)(const void *payload, unsigned short length);
  int (*transmit)(unsigned short length);                  /* what was prepared */
  int (*send)(const void *payload, unsigned short length); /* both */
  int (*read)(void *buffer, unsigned short size); /* bytes; 0: nothing, or too long */
  int (*channel_clear)(void);
  int (*receiving_packet)(void);
  int (*pending_packet)(void);
  int (*on)(void);
  int (*off)(void);
  radio_result_t (*get_value)(radio_param_t parameter, radio_value_t *value);
  radio_result_t (*set_value)(radio_param_t parameter, radio_value_t value);
  radio_result_t (*get_object)(radio_param_t parameter, void *to, size_t size);
  radio_result_t (*set_object)(radio_param_t parameter, const void *from, size_t size);
};

#endif
