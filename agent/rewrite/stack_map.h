/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * stack_map: the frames of one method (JVM specification, 4.7.4), moved with their
 * instructions, and frames for islands and for the handlers of the probes.
 */
#ifndef JPROF_REWRITE_STACK_MAP_H
#define JPROF_REWRITE_STACK_MAP_H

#include "agent/rewrite/exceptions.h"
#include "agent/rewrite/full_frames.h"

/* Writes the contents of a StackMapTable. in: the contents that the file has; empty if the
 * method has none. full: the same frames, where the code has islands; NULL: it has none.
 * throwable: the index of the class constant. */
enum rewrite_reason stack_map_write(struct reader in, const struct full_frames *full,
	const struct code *code, const struct handlers *handlers, uint16_t throwable,
	struct writer *out);

/* Sets the bit in mark[pc] of each frame of a constructor whose local 0 is anything but the
 * uninitialised `this`. locals: how many the method begins with, a long being one. */
void stack_map_mark_hidden(struct reader in, const struct code *code, uint32_t locals,
	uint8_t *mark, uint8_t bit);

#endif
