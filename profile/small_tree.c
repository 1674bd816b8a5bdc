/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* small_tree: see small_tree.h. */
#include "profile/small_tree.h"

#include "profile/varint.h"

size_t small_tree_room(size_t nodes)
{
	return nodes * 5 * VARINT_MOST;
}

size_t small_tree_encode(const struct small_node *node, size_t nodes, uint8_t *bytes)
{
	uint8_t *to = bytes;

	for (size_t i = 0; i < nodes; i++) {
		to = varint_put(to, i - node[i].parent);
		to = varint_put(to, node[i].method);
		to = varint_put(to, node[i].calls);
		to = varint_put(to, node[i].base);
		to = varint_put(to, node[i].own);
	}
	return (size_t)(to - bytes);
}

size_t small_tree_decode(const uint8_t *bytes, size_t size, struct small_node *node)
{
	struct varints from = {bytes, bytes ? bytes + size : NULL, false};
	size_t nodes = 0;

	while (from.at < from.end) {
		uint64_t upwards = varint_take(&from), method = varint_take(&from);
		struct small_node one = {.parent = (uint32_t)(nodes - upwards),
			.method = (uint32_t)method,
			.calls = varint_take(&from)};

		one.base = varint_take(&from);
		one.own = varint_take(&from);
		if (from.wrong || upwards > nodes || (upwards == 0) != (nodes == 0) ||
			method > UINT32_MAX || nodes >= UINT32_MAX)
			return SIZE_MAX;
		if (node)
			node[nodes] = one;
		nodes++;
	}
	return nodes;
}
