# SPDX-License-Identifier: Apache-2.0
# Compiles the embedded Contiki and the application: for Cooja into one shared object, with the host's compiler
# (platform/Makefile.board), or for a Tmote Sky into an ELF file (sky/Makefile.board). Makefile.embedded includes this file.

ifeq ($(filter cooja sky,$(TARGET)),)
$(error TARGET=$(TARGET) needs a Contiki-NG tree: give CONTIKI=DIR)
endif

ifneq ($(words $(CURDIR) $(APPS_ROOT) $(BUILD_DIR)),$(if $(BUILD_DIR),3,2))
$(error make can't build in or into a folder with white space in its name: $(CURDIR) $(BUILD_DIR))
endif

.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

OS_DIR := $(APPS_ROOT)/os
MIDDLEWARE_DIR := $(APPS_ROOT)/middleware
BUILD_DIR ?= build
BUILD_DIR_BOARD ?= $(BUILD_DIR)/$(TARGET)
LIBNAME ?= $(BUILD_DIR_BOARD)/$(CONTIKI_PROJECT).$(TARGET)

MODULE_SOURCES := $(sort $(foreach m,$(MODULES),$(wildcard $(MIDDLEWARE_DIR)/$(m)/*.c)))
PROJECT_SOURCES := $(CONTIKI_PROJECT).c $(PROJECT_SOURCEFILES)

$(foreach m,$(MODULES),$(if $(wildcard $(MIDDLEWARE_DIR)/$(m)/.),,$(error no module $(m) in $(MIDDLEWARE_DIR))))

MAC_WORD_csma := CSMA
MAC_WORD_nullmac := NULLMAC
MAC_WORD_radio-csma := RADIO_CSMA

# The library has the same bytes wherever it is built.
NO_PATHS := -ffile-prefix-map=$(APPS_ROOT)=. -ffile-prefix-map=$(CURDIR)=./app

COMMA := ,
# The same for all targets; the includes of a target come before.
COMMON_CFLAGS := -DCONTIKI=1 -DCONTIKI_TARGET_STRING=\"$(TARGET)\" \
  -DNETSTACK_CONF_WITH_NULLNET=1 -DMAC_CONF_WITH_$(MAC_WORD_$(MAC))=1 \
  $(if $(wildcard project-conf.h),-DPROJECT_CONF_PATH=\"project-conf.h\") \
  $(addprefix -D,$(subst $(COMMA), ,$(DEFINES))) \
  $(if $(filter identity,$(MODULES)),-DIDENTITY_CONF_FIRMWARE=\"$(CONTIKI_PROJECT)\") \
  -I$(OS_DIR)/platform/stdio -I$(OS_DIR) -I$(MIDDLEWARE_DIR) \
  $(addprefix -I$(MIDDLEWARE_DIR)/,$(MODULES)) $(EXTRA_CC_ARGS)

# The motes' images in Base64, for a firmware of one network, where a board has no EEPROM (sky/eeprom.c).
ifneq ($(IMAGES),)
IMAGES_FILE := $(abspath $(BUILD_DIR_BOARD))/images-$(shell printf '%s' '$(IMAGES)' | cksum | tr ' ' -)
endif

include $(OS_DIR)/$(if $(filter sky,$(TARGET)),sky,platform)/Makefile.board

# Objects of different settings have different folders, because a .csc may build two variants of one application in one
# folder.
SETTINGS := $(shell printf '%s' '$(subst ','\'',$(CC) $(ALL_CFLAGS))' | cksum | tr ' ' -)
OBJECT_DIR := $(BUILD_DIR_BOARD)/obj/$(SETTINGS)
LINKED := $(OBJECT_DIR)/$(CONTIKI_PROJECT).$(TARGET)
OBJECTS := $(patsubst $(APPS_ROOT)/%,$(OBJECT_DIR)/%.o,$(basename $(OS_SOURCES) $(MODULE_SOURCES))) \
  $(patsubst %.c,$(OBJECT_DIR)/app/%.o,$(PROJECT_SOURCES))

.PHONY: all clean objects settings $(CONTIKI_PROJECT) $(CONTIKI_PROJECT).$(TARGET) FORCE
$(CONTIKI_PROJECT) $(CONTIKI_PROJECT).$(TARGET): $(LIBNAME)

# The library is written beside its place and then renamed, so that nobody sees half a file, whoever else builds here.
# The old one may have other settings, so contents are compared, not dates.
$(LIBNAME): $(LINKED) FORCE
	@mkdir -p $(@D)
	@cmp -s $< $@ || { cp $< $@.$$$$.tmp && mv -f $@.$$$$.tmp $@; }

$(LINKED): $(OBJECTS)
	@$(LINK) -o $@.$$$$.tmp $(OBJECTS) && mv -f $@.$$$$.tmp $@ \
	  || { rm -f $@.$$$$.tmp; exit 1; }

# `orchestrate sizes` compiles for a microcontroller by this: without linking, and without the context switch, which is
# the host's.
objects: $(filter-out %/platform/fibre.o,$(OBJECTS))

OBJECT_DIRS := $(sort $(patsubst %/,%,$(dir $(OBJECTS))))
$(OBJECTS): | $(OBJECT_DIRS)
$(OBJECT_DIRS): ; @mkdir -p $@

define COMPILE
@$(CC) $(ALL_CFLAGS) -MMD -MP -MF $(@:.o=.d).$$$$ -MT $@ -c -o $@.$$$$ $< \
  && mv -f $(@:.o=.d).$$$$ $(@:.o=.d) && mv -f $@.$$$$ $@ \
  || { rm -f $@.$$$$ $(@:.o=.d).$$$$; exit 1; }
endef

$(OBJECT_DIR)/app/%.o: %.c
	$(COMPILE)
$(OBJECT_DIR)/%.o: $(APPS_ROOT)/%.c
	$(COMPILE)
$(OBJECT_DIR)/%.o: $(APPS_ROOT)/%.S
	$(COMPILE)

-include $(OBJECTS:.o=.d)
ifneq ($(IMAGES),)
$(filter %/images.o,$(OBJECTS)): $(IMAGES_FILE)
$(IMAGES_FILE):
	@mkdir -p $(@D) && printf '%s' '$(IMAGES)' | base64 -d > $@.$$$$.tmp && mv -f $@.$$$$.tmp $@
endif

# Prints what is compiled, and how. Before it builds, orchestrate looks by this for what the embedded Contiki lacks.
settings: ; $(info SOURCES $(PROJECT_SOURCES))$(info CFLAGS $(ALL_CFLAGS))@:

clean:
	rm -rf $(BUILD_DIR)
