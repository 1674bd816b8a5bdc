// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Reads out of each request whose it is. From handle, or Work.run below it, on the thread works for that user. */
public final class UserFilter extends HttpFilter {
	private static final long serialVersionUID = 1;

	private final transient Work work;

	UserFilter(Work work) {
		this.work = work;
	}

	@Override
	protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		Visit visit = new Visit(new User(request.getHeader("X-User")), request.getServletPath().substring(1),
				Integer.parseInt(request.getHeader("X-Number")));

		request.setAttribute(Visit.class.getName(), visit);
		handle(visit, request, response, chain);
	}

	void handle(Visit visit, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		Exception[] thrown = new Exception[1];

		work.run(visit.user.getName(), visit.kind, () -> {
			try {
				chain.doFilter(request, response);
			} catch (IOException | ServletException | RuntimeException e) {
				thrown[0] = e;
			}
		});
		if (thrown[0] != null) {
			thrown[0].printStackTrace();
			throw new ServletException(thrown[0]);
		}
	}
}
