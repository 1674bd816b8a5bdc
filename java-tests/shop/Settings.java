// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the shop is to be like. The first value of each key is what holds without it. */
public final class Settings {
	private static final Map<String, List<String>> LEGAL = Map.of(
			"pool", List.of("h2", "tomcat", "dbcp"),      // which pool connections come from
			"wrap", List.of("no", "yes"),                 // proxies around all that the pool gives
			"database", List.of("mem", "file", "tcp"),    // in memory, in files, or in memory behind H2's server
			"threads", List.of("platform", "virtual"),    // of Tomcat and of the customers
			"clients", List.of("4", "1", "2", "8", "16", "32", "64"),
			"tags", List.of("no", "yes"));                // the work is told to jprof.JProf

	private final Map<String, String> values = new LinkedHashMap<>();

	Settings(String... args) {
		LEGAL.keySet().stream().sorted().forEach(key -> values.put(key, LEGAL.get(key).get(0)));
		for (String arg : args) {
			String[] pair = arg.split("=", 2);

			if (pair.length < 2 || !LEGAL.containsKey(pair[0]) || !LEGAL.get(pair[0]).contains(pair[1]))
				throw new IllegalArgumentException("'" + arg + "' is none of " + LEGAL);
			values.put(pair[0], pair[1]);
		}
		if (is("threads", "virtual") && Runtime.version().feature() < 21)
			throw new IllegalArgumentException("there are no virtual threads in this JVM");
	}

	/** The setting has this value. */
	public boolean is(String key, String value) {
		return get(key).equals(value);
	}

	/** The setting's value. */
	public String get(String key) {
		return values.get(key);
	}

	/** All of them. */
	public Map<String, String> all() {
		return values;
	}
}
