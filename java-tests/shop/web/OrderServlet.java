// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.web;

import com.acme.shop.Visit;
import com.acme.shop.store.Orders;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;

/** Somebody buys; or cannot, if it is sold out. */
public final class OrderServlet extends HttpServlet {
	private static final long serialVersionUID = 1;

	private final transient Orders orders;

	public OrderServlet(Orders orders) {
		this.orders = orders;
	}

	@Override
	protected void doPost(HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		try {
			boolean done = orders.order(Visit.of(request));

			if (!done)
				response.setStatus(HttpServletResponse.SC_CONFLICT);
			Answer.send(response, done ? "thank you" : "sold out");
		} catch (SQLException e) {
			throw new ServletException(e);
		}
	}
}
