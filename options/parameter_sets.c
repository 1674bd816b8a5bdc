/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* parameter_sets: see parameter_sets.h. */
#include "options/parameter_sets.h"

#include <string.h>

static const char *const keep_words[VALUE_KEEPS] = {[KEEP_AUTO] = "auto",
	[KEEP_PLAIN] = "plain",
	[KEEP_HASH] = "hash",
	[KEEP_SHAPE] = "shape",
	[KEEP_ROUTE] = "route"};

const char *value_keep_word(enum value_keep keep)
{
	return keep_words[keep];
}

bool value_keep_find(const char *word, enum value_keep *keep)
{
	for (int i = 0; i < VALUE_KEEPS; i++)
		if (strcmp(keep_words[i], word) == 0) {
			*keep = (enum value_keep)i;
			return true;
		}
	return false;
}

/* A statement's text is given when it is run, or prepared before; what it found is read afterwards. */
static const struct parameter_row jdbc_rows[] = {
	{.pattern = "java.sql.Connection.prepareStatement",
		.what = "0",
		.keep = KEEP_SHAPE,
		.stands = STANDS_RESULT,
		.aside = true},
	{.pattern = "java.sql.Connection.prepareCall",
		.what = "0",
		.keep = KEEP_SHAPE,
		.stands = STANDS_RESULT,
		.aside = true},
	{.pattern = "java.sql.Statement.execute",
		.what = "0",
		.keep = KEEP_SHAPE,
		.stands = STANDS_RESULT | STANDS_THIS},
	{.pattern = "java.sql.Statement.executeQuery",
		.what = "0",
		.keep = KEEP_SHAPE,
		.stands = STANDS_RESULT | STANDS_THIS},
	{.pattern = "java.sql.Statement.executeUpdate",
		.what = "0",
		.keep = KEEP_SHAPE,
		.stands = STANDS_RESULT | STANDS_THIS},
	{.pattern = "java.sql.Statement.executeLargeUpdate",
		.what = "0",
		.keep = KEEP_SHAPE,
		.stands = STANDS_RESULT | STANDS_THIS},
	/* A batch has the text that was added last. */
	{.pattern = "java.sql.Statement.addBatch",
		.what = "0",
		.keep = KEEP_SHAPE,
		.stands = STANDS_THIS,
		.aside = true},
	{.pattern = "java.sql.Statement.execute", .stands = STANDS_RESULT},
	{.pattern = "java.sql.Statement.executeQuery", .stands = STANDS_RESULT},
	{.pattern = "java.sql.Statement.executeUpdate", .stands = STANDS_RESULT},
	{.pattern = "java.sql.Statement.executeLargeUpdate", .stands = STANDS_RESULT},
	{.pattern = "java.sql.Statement.executeBatch", .stands = STANDS_RESULT},
	{.pattern = "java.sql.Statement.executeLargeBatch", .stands = STANDS_RESULT},
	{.pattern = "java.sql.PreparedStatement.addBatch", .aside = true},
	{.pattern = "java.sql.Statement.getResultSet", .stands = STANDS_RESULT, .aside = true},
	{.pattern = "java.sql.Statement.getGeneratedKeys",
		.stands = STANDS_RESULT,
		.aside = true},
	{.pattern = "java.sql.ResultSet.next", .counts_true = true, .aside = true},
	{.pattern = NULL},
};

/* Requests that a server answers. */
static const struct parameter_row http_rows[] = {
	{.pattern = "jakarta.servlet.Filter.doFilter",
		.what = "0.getMethod() 0.getRequestURI()",
		.keep = KEEP_ROUTE},
	{.pattern = "jakarta.servlet.Servlet.service",
		.what = "0.getMethod() 0.getRequestURI()",
		.keep = KEEP_ROUTE},
	{.pattern = "javax.servlet.Filter.doFilter",
		.what = "0.getMethod() 0.getRequestURI()",
		.keep = KEEP_ROUTE},
	{.pattern = "javax.servlet.Servlet.service",
		.what = "0.getMethod() 0.getRequestURI()",
		.keep = KEEP_ROUTE},
	{.pattern = "com.sun.net.httpserver.HttpHandler.handle",
		.what = "0.getRequestMethod() 0.getRequestURI().getPath()",
		.keep = KEEP_ROUTE},
	{.pattern = NULL},
};

/* Requests to others: a set of its own, as most are within one that a server answers. The JDK's own classes are reached where a
 * row names them. */
static const struct parameter_row http_client_rows[] = {
	{.pattern = "java.net.http.HttpClient.send*",
		.what = "0.method() 0.uri().getHost()",
		.keep = KEEP_PLAIN},
	{.pattern = "jdk.internal.net.http.HttpClientFacade.send*",
		.what = "0.method() 0.uri().getHost()",
		.keep = KEEP_PLAIN},
	{.pattern = "java.net.URLConnection.connect",
		.what = "this.getURL().getHost()",
		.keep = KEEP_PLAIN},
	{.pattern = "java.net.URLConnection.getInputStream",
		.what = "this.getURL().getHost()",
		.keep = KEEP_PLAIN},
	{.pattern = "sun.net.www.protocol.http.HttpURLConnection.connect",
		.what = "this.getURL().getHost()",
		.keep = KEEP_PLAIN},
	{.pattern = "sun.net.www.protocol.http.HttpURLConnection.getInputStream",
		.what = "this.getURL().getHost()",
		.keep = KEEP_PLAIN},
	{.pattern = "sun.net.www.protocol.https.HttpsURLConnectionImpl.connect",
		.what = "this.getURL().getHost()",
		.keep = KEEP_PLAIN},
	{.pattern = "sun.net.www.protocol.https.HttpsURLConnectionImpl.getInputStream",
		.what = "this.getURL().getHost()",
		.keep = KEEP_PLAIN},
	{.pattern = "java.net.HttpURLConnection.getResponseCode",
		.what = "this.getURL().getHost()",
		.keep = KEEP_PLAIN},
	{.pattern = "okhttp3.Call.execute",
		.what = "this.request().method() this.request().url().host()",
		.keep = KEEP_PLAIN},
	{.pattern = NULL},
};

static const struct parameter_row jms_rows[] = {
	{.pattern = "jakarta.jms.MessageProducer.send",
		.what = "this.getDestination()",
		.keep = KEEP_PLAIN},
	{.pattern = "jakarta.jms.MessageListener.onMessage",
		.what = "0.getJMSDestination()",
		.keep = KEEP_PLAIN},
	{.pattern = "javax.jms.MessageProducer.send",
		.what = "this.getDestination()",
		.keep = KEEP_PLAIN},
	{.pattern = "javax.jms.MessageListener.onMessage",
		.what = "0.getJMSDestination()",
		.keep = KEEP_PLAIN},
	{.pattern = NULL},
};

static const struct parameter_row jndi_rows[] = {
	{.pattern = "javax.naming.Context.lookup", .what = "0", .keep = KEEP_PLAIN},
	{.pattern = "javax.naming.InitialContext.lookup", .what = "0", .keep = KEEP_PLAIN},
	{.pattern = NULL},
};

const struct parameter_set parameter_sets[] = {
	{"jdbc", .once = true, .row = jdbc_rows},
	{"http", .once = true, .row = http_rows},
	{"http_client", .once = true, .row = http_client_rows},
	{"jms", .once = true, .row = jms_rows},
	{"jndi", .once = true, .row = jndi_rows},
	{.name = NULL},
};

const struct parameter_set *parameter_set_find(const char *name, size_t length)
{
	for (const struct parameter_set *set = parameter_sets; set->name; set++)
		if (strlen(set->name) == length && memcmp(set->name, name, length) == 0)
			return set;
	return NULL;
}
