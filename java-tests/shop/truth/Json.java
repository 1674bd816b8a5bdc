// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.truth;

import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;

/** Maps, collections, numbers and texts as JSON, in one line. */
final class Json {
	private Json() {
	}

	static String of(Object value) {
		if (value instanceof Map<?, ?> map)
			return map.entrySet().stream().map(entry -> of(entry.getKey()) + ":" + of(entry.getValue()))
					.collect(Collectors.joining(",", "{", "}"));
		if (value instanceof Collection<?> collection)
			return collection.stream().map(Json::of).collect(Collectors.joining(",", "[", "]"));
		if (value instanceof Number)
			return value.toString();
		return '"' + value.toString().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
	}
}
