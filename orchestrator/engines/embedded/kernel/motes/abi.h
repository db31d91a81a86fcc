/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The variables of a Cooja mote that the engine reads and writes, by the
 * interface that needs them. V(interface, C type, name, needed): `needed` ones
 * must exist when the mote type lists the interface.
 */
#ifndef ABI_H
#define ABI_H

#include <stdint.h>

#define ABI_INTERFACES(I)                                                                                              \
  I(Position) I(Battery) I(ContikiVib) I(ContikiMoteID) I(ContikiRS232) I(ContikiBeeper) I(IPAddress) I(ContikiRadio)  \
  I(ContikiButton) I(ContikiPIR) I(ContikiClock) I(ContikiLED) I(ContikiCFS) I(ContikiEEPROM) I(Mote2MoteRelations)    \
  I(MoteAttributes)

#define ABI_VARIABLES(V)                                                                                               \
  V(ContikiClock, int64_t, simCurrentTime)              /* ms since boot */                                            \
  V(ContikiClock, int64_t, simRtimerCurrentTicks)       /* us of simulated time */                                     \
  V(ContikiClock, int64_t, simRtimerNextExpirationTime) /* us of simulated time */                                     \
  V(ContikiClock, int, simRtimerPending)                                                                               \
  V(ContikiClock, int64_t, simEtimerNextExpirationTime) /* ms since boot */                                            \
  V(ContikiClock, int, simEtimerPending)                                                                               \
  V(ContikiClock, int, simProcessRunValue)              /* not 0: events are queued */                                 \
  V(ContikiMoteID, int, simMoteID)                                                                                     \
  V(ContikiMoteID, int8_t, simMoteIDChanged)                                                                           \
  V(ContikiMoteID, int, simRandomSeed)                                                                                 \
  V(ContikiRS232, int8_t, simLoggedFlag)                                                                               \
  V(ContikiRS232, int, simLoggedLength)                 /* bytes */                                                    \
  V(ContikiRS232, int8_t, simLoggedData)                                                                               \
  V(ContikiRadio, int8_t, simRadioHWOn)                                                                                \
  V(ContikiRadio, int8_t, simReceiving)                                                                                \
  V(ContikiRadio, int8_t, simPower)                     /* percent */                                                  \
  V(ContikiRadio, int, simRadioChannel)                                                                                \
  V(ContikiRadio, int, simInSize)                       /* bytes, without FCS */                                       \
  V(ContikiRadio, int, simOutSize)                      /* bytes, without FCS */                                       \
  V(ContikiRadio, int8_t, simInDataBuffer)                                                                             \
  V(ContikiRadio, int8_t, simOutDataBuffer)                                                                            \
  V(ContikiRadio, int, simSignalStrength)               /* dBm */                                                      \
  V(ContikiRadio, int, simLQI)                          /* 0..255 */                                                   \
  V(ContikiRadio, int64_t, simLastPacketTimestamp)      /* us of simulated time */                                     \
  V(ContikiBeeper, int8_t, simBeeped)                                                                                  \
  V(ContikiLED, int8_t, simLedsValue)                                                                                  \
  V(ContikiEEPROM, int8_t, simEEPROMChanged)                                                                           \
  V(ContikiEEPROM, int, simEEPROMRead)                                                                                 \
  V(ContikiEEPROM, int, simEEPROMWritten)                                                                              \
  V(ContikiEEPROM, int8_t, simEEPROMData)               /* EEPROM_SIZE bytes */                                        \
  V(ContikiCFS, int8_t, simCFSChanged)                                                                                 \
  V(ContikiCFS, int, simCFSRead)                                                                                       \
  V(ContikiCFS, int, simCFSWritten)

enum { EEPROM_SIZE = 1024 };

#define ABI_BIT(name) name##_bit,
enum { ABI_INTERFACES(ABI_BIT) ABI_INTERFACE_COUNT };
#undef ABI_BIT
#define ABI_FLAG(name) WITH_##name = 1u << name##_bit,
enum { ABI_INTERFACES(ABI_FLAG) WITH_NONE = 0 };
#undef ABI_FLAG

/* Offsets in a mote's image. */
struct abi {
#define ABI_OFFSET(interface, type, name) uint32_t name;
  ABI_VARIABLES(ABI_OFFSET)
#undef ABI_OFFSET
  uint32_t cooja_init, cooja_tick;
  uint32_t in_buffer, eeprom; /* bytes of simInDataBuffer, simEEPROMData */
};

#define ABI_TYPE(interface, type, name) typedef type abi_##name;
ABI_VARIABLES(ABI_TYPE)
#undef ABI_TYPE

/* The number of the interface with this simple class name, or -1. */
int abi_interface(const char *name);

struct firmware;

/* Looks up all variables of `interfaces` (bits WITH_...); if some are missing, the process ends with a report of all. */
void abi_resolve(struct abi *abi, const struct firmware *firmware, uint32_t interfaces);

#endif
