// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop;

/** Somebody the shop works for. */
public final class User {
	private final String name;

	User(String name) {
		this.name = name;
	}

	/** What the request calls this user. */
	public String getName() {
		return name;
	}
}
