// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.web;

import com.acme.shop.Visit;
import com.acme.shop.store.Articles;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;

/** The articles with a word in their name. */
public final class ListServlet extends HttpServlet {
	private static final long serialVersionUID = 1;

	private final transient Articles articles;

	public ListServlet(Articles articles) {
		this.articles = articles;
	}

	@Override
	protected void doGet(HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		try {
			Answer.send(response, articles.list(Visit.of(request), request.getParameter("word")));
		} catch (SQLException e) {
			throw new ServletException(e);
		}
	}
}
