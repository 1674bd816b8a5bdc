/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* made_frames: .eh_frame_hdr and .eh_frame of one function, with programs at will. */
#ifndef JPROF_TEST_MADE_FRAMES_H
#define JPROF_TEST_MADE_FRAMES_H

#include <stdint.h>

#include "symbols/modules.h"

enum { MADE_CODE = 256, MADE_FRAMES_MAX = 8192 };

struct made_frames {
	struct module module;
	struct modules modules;         /* of that module alone */
	uint8_t bytes[MADE_FRAMES_MAX]; /* what is in the module; ends with the FDE's program */
	size_t header, common, entry, size; /* places */
};

/* The function's code is said to be MADE_CODE bytes from module.begin on. letters: "zR", "zRS"...: its data is
 * made for them. Programs that are too long are cut. */
void made_frames_init(struct made_frames *made, const char *letters, const uint8_t *common,
	size_t common_size, const uint8_t *program, size_t program_size);

#endif
