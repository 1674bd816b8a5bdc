# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors

set(JPROF_TEST_TIMEOUT 300 CACHE STRING "Seconds that a native test may take")

# jprof_native_test(NAME SOURCES file... [LIBS lib...] [LABELS label...] [OPTIONS link-option...])
# A cmocka program and its ctest entry native.NAME. Tests with LABELS threads are the ones
# worth running under the thread sanitizer; LABELS processor those whose result depends on the
# processor: they are run on the emulated arm64 machine, too.
# The target threads_tests builds the former alone.
add_custom_target(threads_tests)
function(jprof_native_test name)
	cmake_parse_arguments(T "" "" "SOURCES;LIBS;LABELS;OPTIONS" ${ARGN})
	add_executable(${name} ${T_SOURCES})
	target_link_libraries(${name} PRIVATE ${T_LIBS} cmocka Threads::Threads)
	target_link_options(${name} PRIVATE ${T_OPTIONS})
	target_compile_options(${name} PRIVATE -Wno-missing-prototypes)
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	add_test(NAME native.${name} COMMAND ${name})
	set_tests_properties(native.${name} PROPERTIES TIMEOUT ${JPROF_TEST_TIMEOUT}
		LABELS "native;quick;${T_LABELS}")
	if("threads" IN_LIST T_LABELS)
		add_dependencies(threads_tests ${name})
	endif()
endfunction()

# jprof_fuzzer(NAME RUNS n SOURCES file... PARSER file... [LIBS lib...])
# PARSER: what the fuzzer is for, compiled once more, so that its branches and lines are seen.
# With -DJPROF_FUZZ=ON (clang) a libFuzzer program, for native-tests/fuzz-coverage. Without it the test
# fuzz.NAME: so many mutations of the corpus, always the same ones, in seconds.
function(jprof_fuzzer name)
	cmake_parse_arguments(F "" "RUNS" "SOURCES;PARSER;LIBS" ${ARGN})
	list(TRANSFORM F_PARSER PREPEND ${CMAKE_SOURCE_DIR}/)
	set(folder ${CMAKE_SOURCE_DIR}/native-tests/fuzz)
	add_executable(${name} ${F_SOURCES} ${folder}/text_mutator.c ${F_PARSER})
	target_link_libraries(${name} PRIVATE ${F_LIBS} Threads::Threads)
	target_compile_options(${name} PRIVATE -Wno-missing-prototypes)
	if(JPROF_FUZZ)
		set(ways -fsanitize=fuzzer,address,undefined -fprofile-instr-generate
			-fcoverage-mapping)
		target_compile_options(${name} PRIVATE ${ways})
		target_link_options(${name} PRIVATE ${ways})
		set_target_properties(${name} PROPERTIES
			RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
		list(JOIN F_PARSER "\n" lines)
		file(WRITE ${CMAKE_BINARY_DIR}/fuzz/${name}.parser "${lines}\n")
		return()
	endif()
	target_sources(${name} PRIVATE ${folder}/fuzz_main.c)
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	add_test(NAME fuzz.${name} COMMAND ${folder}/regression.sh $<TARGET_FILE:${name}> ${F_RUNS}
		${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
	set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 300 LABELS "native;quick")
endfunction()
