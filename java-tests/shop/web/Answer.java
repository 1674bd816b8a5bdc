// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.web;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** What goes back to the customer. */
final class Answer {
	private Answer() {
	}

	static void send(HttpServletResponse response, String text) throws IOException {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);

		response.setContentLength(bytes.length);
		response.getOutputStream().write(bytes);
	}
}
