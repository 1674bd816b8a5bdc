/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Short names: a row each. Mangled ones were made by g++ 12. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "symbols/demangle.h"

static const struct {
	const char *name, *expected;
} rows[] = {
	{"main", "main"},
	{"_Z", "_Z"},
	{"", ""},
	{"_start", "_start"},
	{"_Z3foo", "foo"},
	{"_Z3foov", "foo"},
	{"_ZN14PhaseIdealLoop18build_and_optimizeE12LoopOptsMode",
		"PhaseIdealLoop::build_and_optimize"},
	{"_ZN14PhaseIdealLoop18build_and_optimizeE12LoopOptsMode.cold",
		"PhaseIdealLoop::build_and_optimize"},
	{"_ZNK3Foo3barEPFiiE.constprop.0.isra.1", "Foo::bar"},
	{"_ZNVK3Foo3barEv", "Foo::bar"},
	{"_ZNKR3Foo3barEv", "Foo::bar"},
	{"_ZNO3Foo3barEv", "Foo::bar"},
	{"_ZN3FooC2Ev", "Foo::Foo"},
	{"_ZN3FooD1Ev", "Foo::~Foo"},
	{"_ZN3FooclEi", "Foo::operator()"},
	{"_ZN3FoocvbEv", "Foo::operator bool"},
	{"_ZN3FoocvmEv", "Foo::operator unsigned long"},
	{"_Znwm", "operator new"},
	{"_ZlsRSoRK3Foo", "operator<<"},
	{"_ZrsRSiR3Foo", "operator>>"},
	{"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
		"std::operator<< <std::char_traits<char> >"},
	{"_Z3maxIiET_S0_S0_", "max<int>"},
	{"_Z3getIPKcEmT_", "get<char const*>"},
	{"_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo"},
	{"_ZN12_GLOBAL__N_13fooIiEEmT_", "(anonymous namespace)::foo<int>"},
	{"_ZN1A1BIiE1fIjEEvT_", "A::B<int>::f<unsigned int>"},
	{"_ZZN1A1fEvENKUlvE_clEv", "A::f()::{lambda()#1}::operator()"},
	{"_ZThn16_N1A1fEv", "A::f"},
	{"_ZTV3Foo", "vtable for Foo"},
	{"_Z3fooB5cxx11v", "foo[abi:cxx11]"},
	{"_ZNSt6vectorIiSaIiEE9push_backERKi",
		"std::vector<int, std::allocator<int> >::push_back"},
};

static void test_rows(void **state)
{
	char buffer[512];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *found = demangle(rows[i].name, buffer, sizeof(buffer));

		if (strcmp(found, rows[i].expected) != 0)
			fail_msg("%s: '%s', not '%s'", rows[i].name, found, rows[i].expected);
	}
}

/* Of each size of the buffer: the name, or the mangled one. */
static void test_room(void **state)
{
	const char *name = "_ZN3Foo3barEv";
	char buffer[64];

	for (size_t size = 0; size <= sizeof(buffer); size++) {
		memset(buffer, 'x', sizeof(buffer));
		assert_string_equal(demangle(name, buffer, size),
			size > strlen("Foo::bar()") ? "Foo::bar" : name);
		for (size_t i = size; i < sizeof(buffer); i++)
			assert_int_equal(buffer[i], 'x');
	}
}

/* pair<T, T> of pair<T, T> of...: 2^60 names. And some thousand pointers. */
static void test_huge(void **state)
{
	char name[4096] = "_Z1fSt4pairIiiE", buffer[1024];

	for (int i = 0; i < 36; i++) {
		char reference[4] = "S_";

		if (i > 0)
			snprintf(reference, sizeof(reference), "S%c_",
				i <= 10 ? '0' + i - 1 : 'A' + i - 11);
		snprintf(name + strlen(name), sizeof(name) - strlen(name), "St4pairI%s%sE",
			reference, reference);
	}
	assert_ptr_equal(demangle(name, buffer, sizeof(buffer)), name);

	memset(name, 'P', sizeof(name));
	memcpy(name, "_Z1f", 4);
	memcpy(name + sizeof(name) - 2, "i", 2);
	assert_ptr_equal(demangle(name, buffer, sizeof(buffer)), name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_huge),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
