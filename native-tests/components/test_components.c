/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Definitions of components: what methods become of them, and how wrong ones are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "components/components.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct components parse(const char *text)
{
	struct components components;
	struct error error = {0};

	if (components_parse(&components, text, strlen(text), "file", &error) != 0)
		fail_msg("%s", error.text);
	return components;
}

/* "CLASS.METHOD" of Java code. */
static struct method_component find(const struct components *components, const char *method)
{
	char class_name[100];
	const char *dot = strrchr(method, '.');

	snprintf(class_name, sizeof(class_name), "%.*s", (int)(dot - method), method);
	return components_find(components, METHOD_JAVA, class_name, dot + 1);
}

/* The names of the steps of a path, each method with that of its own. */
static void check_path(
	const struct components *components, int line, const char *path, const char *expected)
{
	char steps[400] = "", *copy = strdup(path), *rest = copy, *method;
	int within = -1;

	while ((method = strsep(&rest, " ")) != NULL) {
		size_t used = strlen(steps);

		within = components_step(components, within, find(components, method));
		snprintf(steps + used, sizeof(steps) - used, "%s%s", used ? " " : "",
			components->component[within].name);
	}
	if (strcmp(steps, expected) != 0)
		fail_msg("line %d: '%s'", line, steps);
	free(copy);
}

/* ---- the component of a method ---- */

static void test_first_match(void **state)
{
	struct components components =
		parse("{\"components\": ["
		      "{\"name\": \"x\", \"methods\": [\"a.b.*\"]},"
		      "{\"name\": \"y\", \"methods\": [\"a.*\", \"c.C.d\"]}]}");

	check_path(&components, __LINE__, "a.b.C.m a.C.m c.C.d c.C.e z.Z.m",
		"x y y (application) (application)");
	components_fini(&components);
}

/* Functions of libraries may be called as classes are; kinds are theirs. */
static void test_kinds(void **state)
{
	struct components components =
		parse("{\"components\": [{\"name\": \"all\", \"methods\": [\"lib*\"]},"
		      "{\"name\": \"outside\", \"kinds\": [\"native\", \"kernel\"]}]}");
	static const struct {
		enum method_kind kind;
		int place;
	} cases[] = {{METHOD_JAVA, 1}, {METHOD_NATIVE, 2}, {METHOD_KERNEL, 2}, {METHOD_JVM, 0},
		{METHOD_STUB, 0}};

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(
			components_find(&components, cases[i].kind, "libc.so", "read").place,
			cases[i].place);
	assert_int_equal(components_find(&components, METHOD_JAVA, NULL, "(unknown)").place, 0);
	components_fini(&components);
}

/* ---- steps ---- */

static void test_entries(void **state)
{
	struct components components =
		parse("{\"components\": [{\"name\": \"db\", \"methods\": [\"d.*\"],"
		      " \"entries\": [\"d.S.execute*\"]}, {\"name\": \"log\", \"methods\": "
		      "[\"l.*\"]}]}");

	/* What is no entry belongs to who calls it; what follows an entry to the component. */
	check_path(&components, __LINE__, "a.A.a d.S.close d.T.x",
		"(application) (application) (application)");
	check_path(&components, __LINE__, "d.S.close d.S.execute", "(application) db");
	check_path(&components, __LINE__, "a.A.a d.S.executeQuery d.T.x l.L.info d.T.x",
		"(application) db db log log");
	components_fini(&components);
}

static void test_below(void **state)
{
	struct components components =
		parse("{\"components\": [{\"name\": \"db\", \"methods\": [\"d.*\"],"
		      " \"below\": [\"util\", \"(application)\"]},"
		      "{\"name\": \"util\", \"methods\": [\"u.*\"]},"
		      "{\"name\": \"log\", \"methods\": [\"l.*\"]},"
		      "{\"name\": \"job\", \"entries\": [\"j.J.run\"], \"below\": true},"
		      "{\"name\": \"none\", \"methods\": [\"n.*\"], \"below\": false}]}");

	check_path(&components, __LINE__, "d.D.d u.U.u a.A.a l.L.l u.U.u", "db db db log util");
	/* All but what has entries of its own. */
	check_path(&components, __LINE__, "j.J.run d.D.d l.L.l a.A.a", "job job job job");
	check_path(&components, __LINE__, "d.D.d j.J.run d.D.d", "db job job");
	check_path(&components, __LINE__, "n.N.n u.U.u", "none util");
	components_fini(&components);
}

static void test_of_caller(void **state)
{
	struct components components =
		parse("{\"components\": [{\"name\": \"db\", \"methods\": [\"d.*\"]},"
		      "{\"name\": \"util\", \"methods\": [\"u.*\"], \"of_caller\": true}]}");

	check_path(&components, __LINE__, "u.U.u d.D.d u.U.u d.D.d a.A.a u.U.u",
		"util db db db (application) (application)");
	components_fini(&components);
}

/* ---- the ready-made ones ---- */

static void test_ready_made(void **state)
{
	static const struct {
		const char *method, *component;
	} cases[] = {
		{"com.acme.Shop.sell", "(application)"},
		{"org.apache.catalina.core.StandardWrapperValve.invoke", "servlet container"},
		{"org.eclipse.jetty.server.Server.handle", "servlet container"},
		{"org.springframework.web.servlet.DispatcherServlet.doDispatch",
			"web framework"},
		{"org.springframework.aop.framework.ReflectiveMethodInvocation.proceed",
			"Spring"},
		{"org.springframework.security.web.FilterChainProxy.doFilter", "security"},
		{"org.h2.jdbc.JdbcStatement.executeQuery", "JDBC and database"},
		{"com.mysql.cj.jdbc.ClientPreparedStatement.execute", "JDBC and database"},
		{"com.zaxxer.hikari.HikariDataSource.getConnection", "connection pool"},
		{"org.apache.tomcat.jdbc.pool.DataSource.getConnection", "connection pool"},
		{"org.hibernate.internal.SessionImpl.find", "persistence"},
		{"ch.qos.logback.classic.Logger.info", "logging"},
		{"java.util.logging.Logger.info", "logging"},
		{"com.fasterxml.jackson.databind.ObjectMapper.readValue", "serialisation"},
		{"java.io.ObjectInputStream.readObject", "serialisation"},
		{"java.io.FileInputStream.read", "JDK I/O"},
		{"sun.nio.ch.SocketChannelImpl.read", "JDK I/O"},
		{"java.util.HashMap.get", "JDK collections"},
		{"java.util.concurrent.ConcurrentHashMap.get", "JDK collections"},
		{"java.util.concurrent.ThreadPoolExecutor.runWorker", "JDK concurrency"},
		{"java.lang.String.format", "JDK text, numbers"},
		{"java.lang.ClassLoader.loadClass", "class loading"},
		{"java.util.jar.JarFile.getEntry", "class loading"},
		{"java.security.MessageDigest.digest", "security"},
		{"java.security.AccessController.doPrivileged", "reflection, proxies"},
		{"groovy.lang.GroovyShell.evaluate", "scripting"},
		{"java.lang.Object.hashCode", "JDK other"},
	};
	struct components components;
	struct error error = {0};
	size_t length;
	const char *text = components_ready_made(&length);

	assert_int_equal(components_parse(&components, text, length, "ready-made", &error), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct method_component found = find(&components, cases[i].method);

		if (strcmp(components.component[found.place].name, cases[i].component) != 0)
			fail_msg("%s: %s", cases[i].method,
				components.component[found.place].name);
	}
	components_fini(&components);
}

/* Which definitions a profile's reports use. */
static void test_choice(void **state)
{
	static struct profile_meta fact = {(char *)COMPONENTS_FACT,
		(char *)"{\"components\": [{\"name\": \"mine\", \"methods\": [\"m.*\"]}]}"};
	static const struct {
		bool kept;
		const char *name;
		const char *steps; /* of a path that tells them apart */
	} cases[] = {
		{false, NULL, "JDBC and database JDBC and database (application)"},
		{false, "kinds", "JDBC and database JDK collections (application)"},
		{true, NULL, "(application) (application) mine"},
		{true, "layers", "JDBC and database JDBC and database (application)"},
		{true, "kinds", "JDBC and database JDK collections (application)"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct profile profile = {
			.meta = &fact, .meta_count = cases[i].kept ? 1 : 0};
		struct components components;
		struct error error = {0};

		assert_int_equal(
			components_choose(&components, &profile, cases[i].name, &error), 0);
		check_path(&components, (int)i, "org.h2.Driver.d java.util.HashMap.get m.M.m",
			cases[i].steps);
		components_fini(&components);
	}
}

/* ---- class loaders ---- */

static void test_loaders(void **state)
{
	static const char *const names[] = {"shop.Shop", "blog.Blog", "lib.Parser",
		"java.util.HashMap", "org.catalina.Valve"};
	/* Ids as the agent gives them: 0 is nobody's, 2 of those beyond the limit. */
	static struct profile_class_loader loader[] = {{.id = 1, .class_name = "(boot loader)"},
		{.id = 3, .class_name = "jdk.Loaders$AppClassLoader", .name = "app"},
		{.id = 4, .class_name = "org.catalina.WebappLoader", .name = "/shop"},
		{.id = 5, .class_name = "org.catalina.WebappLoader"}};
	static struct profile_class class[] = {{.name = 2, .loader = 4},
		{.name = 3, .loader = 5}, {.name = 4, .loader = 4}, {.name = 4, .loader = 5},
		{.name = 5, .loader = 1}, {.name = 6, .loader = 3}, {.name = 99, .loader = 3},
		{.name = 2, .loader = 77}};
	struct profile_method method[2 + COUNT(names)] = {0};
	const struct profile profile = {.method = method,
		.method_count = COUNT(method),
		.class = class,
		.class_count = COUNT(class),
		.class_loader = loader,
		.class_loader_count = COUNT(loader)};
	struct components components;
	struct error error = {0};

	for (size_t i = 0; i < COUNT(names); i++)
		method[2 + i].class_name = names[i];
	assert_int_equal(components_of_loaders(&components, &profile, &error), 0);
	check_path(&components, __LINE__,
		"java.lang.Thread.run org.catalina.Valve.invoke shop.Shop.get lib.Parser.parse "
		"java.util.HashMap.get",
		"JDK and JVM app (AppClassLoader) /shop (WebappLoader) /shop (WebappLoader) "
		"/shop (WebappLoader)");
	/* Who calls what several have is who has it; made classes are of the loader of theirs. */
	check_path(&components, __LINE__, "blog.Blog$$Lambda$17.get lib.Parser.parse",
		"WebappLoader #5 WebappLoader #5");
	check_path(&components, __LINE__, "lib.Parser.parse x.Unknown.y java.lang.Math.max",
		"(several loaders) (loader not known) (loader not known)");
	assert_string_equal(components
				    .component[components_find(
					    &components, METHOD_NATIVE, "libc.so.6", "read")
						       .place]
				    .name,
		"JDK and JVM");
	components_fini(&components);
}

/* More than there is room for are one. */
static void test_many_loaders(void **state)
{
	enum { MANY = COMPONENTS_MAX + 50 };
	static struct profile_class_loader loader[MANY];
	static struct profile_class class[MANY];
	static struct profile_method method[MANY];
	static char names[MANY][16];
	const struct profile profile = {.method = method,
		.method_count = MANY,
		.class = class,
		.class_count = MANY,
		.class_loader = loader,
		.class_loader_count = MANY};
	struct components components;
	struct error error = {0};

	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "p.C%u", i);
		method[i].class_name = names[i];
		class[i] = (struct profile_class){.name = i, .loader = i + 1};
		loader[i] = (struct profile_class_loader){.id = i + 1, .class_name = "Own"};
	}
	assert_int_equal(components_of_loaders(&components, &profile, &error), 0);
	assert_int_equal(components.count, COMPONENTS_MAX);
	check_path(&components, __LINE__, "p.C0.a p.C251.a p.C252.a p.C305.a",
		"Own #1 Own #252 (other loaders) (other loaders)");
	components_fini(&components);
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
	static const struct {
		int line;
		const char *text, *error;
	} cases[] = {
		{__LINE__, "", "'file': line 1: '[' or '{' expected near end of file"},
		{__LINE__, "{\n\n\"components\": [}", "'file': line 3: "},
		{__LINE__, "[]", "'file' is no JSON object: {\"components\": [...]} is legal"},
		{__LINE__, "{}", "'file': needs \"components\", a list with one component"},
		{__LINE__, "{\"components\": []}", "'file': needs \"components\", a list with"},
		{__LINE__, "{\"component\": []}",
			"'file': no key 'component'; there is 'components'"},
		{__LINE__, "{\"components\": [\n7]}", "component 1: is no object"},
		{__LINE__, "{\"components\": [\n{}]}", "line 2: component 1: needs a 'name'"},
		{__LINE__, "{\"components\": [{\"name\": \"\"}]}",
			"component 1: 'name' needs a text of 1 to 100 bytes"},
		{__LINE__, "{\"components\": [{\"name\": \"(application)\"}]}",
			"component 1: there is one of that name before it"},
		{__LINE__,
			"{\"components\": [{\"name\": \"a\", \"methods\": [\"}{\\\"{\"]},\n"
			"{\"name\": \"b\", \"kinds\": []},\n{\"name\": \"a\"}]}",
			"line 2: component 2 ('b'): has no methods: it needs 'methods', "
			"'entries' "
			"or 'kinds'"},
		{__LINE__,
			"{\"components\": [{\"name\": \"a\", \"methods\": [\"x\"]},\n\n"
			"{\"name\": \"a\", \"methods\": [\"x\"]}]}",
			"line 3: component 2: there is one of that name before it"},
		{__LINE__, "{\"components\": [{\"name\": \"a\", \"methods\": \"x\"}]}",
			"component 1 ('a'): 'methods' needs a list of patterns such as "
			"[\"com.acme.*\"]"},
		{__LINE__, "{\"components\": [{\"name\": \"a\", \"entries\": [7]}]}",
			"component 1 ('a'): 'entries' needs patterns of 1 to 1000 bytes"},
		{__LINE__, "{\"components\": [{\"name\": \"a\", \"kinds\": [\"kernal\"]}]}",
			"no kind 'kernal'; did you mean 'kernel'?"},
		{__LINE__,
			"{\"components\": [{\"name\": \"a\", \"methods\": [\"x\"], \"below\": "
			"1}]}",
			"'below' needs true, false or a list of components' names"},
		{__LINE__,
			"{\"components\": [{\"name\": \"logs\", \"methods\": [\"x\"], "
			"\"below\": "
			"[\"log\"]}]}",
			"'below': no component 'log'; did you mean 'logs'?"},
		{__LINE__,
			"{\"components\": [{\"name\": \"a\", \"methods\": [\"x\"], "
			"\"of_caller\": "
			"\"yes\"}]}",
			"'of_caller' needs true or false"},
		{__LINE__,
			"{\"components\": [{\"name\": \"a\", \"methods\": [\"x\"], \"method\": "
			"1}]}",
			"no key 'method'; did you mean 'methods'?"},
		{__LINE__, "{\"components\": [], \"components\": []}", "duplicate object key"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct components components;
		struct error error = {0};

		if (components_parse(&components, cases[i].text, strlen(cases[i].text), "file",
			    &error) == 0 ||
			!strstr(error.text, cases[i].error))
			fail_msg("line %d: '%s'", cases[i].line, error.text);
		components_fini(&components);
	}
}

/* A text that repeats something in a list. */
static char *many(const char *begin, const char *each, size_t count, const char *end)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs(begin, out);
	for (size_t i = 0; i < count; i++) {
		fputs(i > 0 ? "," : "", out);
		fprintf(out, each, i);
	}
	fputs(end, out);
	fclose(out);
	return text;
}

static void check_many(char *text, const char *expected)
{
	struct components components;
	struct error error = {0};
	int failed = components_parse(&components, text, strlen(text), "file", &error);

	assert_int_equal(failed != 0, expected != NULL);
	if (expected && !strstr(error.text, expected))
		fail_msg("'%s'", error.text);
	components_fini(&components);
	free(text);
}

static void test_bounds(void **state)
{
	static const char each[] = "{\"name\": \"%zu\", \"methods\": [\"x\"]}";
	static const char list[] = "{\"components\": [{\"name\": \"a\", \"methods\": [";
	static const char end[] = "]}";

	check_many(many("{\"components\": [", each, COMPONENTS_MAX - 1, end), NULL);
	check_many(many("{\"components\": [", each, COMPONENTS_MAX, end),
		"256 components: 255 at most are legal");
	check_many(many(list, "\"%zu\"", COMPONENTS_PATTERNS_MAX, "]}]}"), NULL);
	check_many(many(list, "\"%zu\"", COMPONENTS_PATTERNS_MAX + 1, "]}]}"),
		"too many patterns: 16384 are legal in all");
	check_many(many("[", "\"a text that has some %zu bytes\"", 40000, "]"),
		"is larger than 1048576 bytes");
	check_many(many("", "[[[[[[[[", 1000, ""), "'file': line 1: ");
}

static void test_files(void **state)
{
	char path[] = "/tmp/jprof-components-XXXXXX", *text;
	int fd = mkstemp(path);
	static const char written[] =
		"{\"components\": [{\"name\": \"a\", \"methods\": [\"x\"]}]}";
	struct components components;
	struct error error = {0};

	assert_int_equal(write(fd, written, strlen(written)), (ssize_t)strlen(written));
	close(fd);
	assert_int_equal(components_read(&components, path, &text, &error), 0);
	assert_string_equal(text, written);
	assert_string_equal(components.component[1].name, "a");
	free(text);
	components_fini(&components);
	unlink(path);
	assert_int_not_equal(components_read(&components, path, NULL, &error), 0);
	assert_non_null(strstr(error.text, "cannot open '/tmp/jprof-components-"));
	components_fini(&components);
	error = (struct error){0};
	assert_int_not_equal(components_read(&components, "/", NULL, &error), 0);
	assert_string_equal(error.text, "cannot read '/': Is a directory");
	components_fini(&components);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_match),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_below),
		cmocka_unit_test(test_of_caller),
		cmocka_unit_test(test_ready_made),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_loaders),
		cmocka_unit_test(test_many_loaders),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
