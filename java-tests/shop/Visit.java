// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop;

import jakarta.servlet.http.HttpServletRequest;

/** One request: whose, of which kind, and its number. */
public final class Visit {
	/** Who asks. */
	public final User user;
	/** What for: list, detail, order, report. */
	public final String kind;
	/** The customers number their requests. */
	public final int number;

	Visit(User user, String kind, int number) {
		this.user = user;
		this.kind = kind;
		this.number = number;
	}

	/** The visit that the filter has found in this request. */
	public static Visit of(HttpServletRequest request) {
		return (Visit) request.getAttribute(Visit.class.getName());
	}
}
