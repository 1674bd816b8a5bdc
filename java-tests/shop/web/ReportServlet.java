// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.web;

import com.acme.shop.Visit;
import com.acme.shop.store.Documents;
import com.acme.shop.store.Reports;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;

/** Sums over all articles, and the user's document. */
public final class ReportServlet extends HttpServlet {
	private static final long serialVersionUID = 1;

	private final transient Reports reports;
	private final transient Documents documents;

	public ReportServlet(Reports reports, Documents documents) {
		this.reports = reports;
		this.documents = documents;
	}

	@Override
	protected void doGet(HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		Visit visit = Visit.of(request);

		try {
			byte[] sums = reports.report(visit).getBytes(StandardCharsets.UTF_8);

			response.setContentLength(sums.length + documents.size(visit));
			response.getOutputStream().write(sums);
			documents.send(visit, response.getOutputStream());
		} catch (SQLException e) {
			throw new ServletException(e);
		}
	}
}
