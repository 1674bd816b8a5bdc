# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors

# jprof_native_test(NAME SOURCES file... [LIBS lib...] [LABELS label...] [OPTIONS link-option...])
# A cmocka program and its ctest entry native.NAME. Tests with LABELS threads are the ones
# worth running under the thread sanitizer.
function(jprof_native_test name)
	cmake_parse_arguments(T "" "" "SOURCES;LIBS;LABELS;OPTIONS" ${ARGN})
	add_executable(${name} ${T_SOURCES})
	target_link_libraries(${name} PRIVATE ${T_LIBS} cmocka Threads::Threads)
	target_link_options(${name} PRIVATE ${T_OPTIONS})
	target_compile_options(${name} PRIVATE -Wno-missing-prototypes)
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	add_test(NAME native.${name} COMMAND ${name})
	set_tests_properties(native.${name} PROPERTIES TIMEOUT 300 LABELS "native;${T_LABELS}")
endfunction()

# jprof_fuzzer(NAME SOURCES file... [LIBS lib...]): a libFuzzer program, with -DJPROF_FUZZ=ON.
function(jprof_fuzzer name)
	if(NOT JPROF_FUZZ)
		return()
	endif()
	cmake_parse_arguments(F "" "" "SOURCES;LIBS" ${ARGN})
	add_executable(${name} ${F_SOURCES})
	target_link_libraries(${name} PRIVATE ${F_LIBS} Threads::Threads)
	target_compile_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined
		-Wno-missing-prototypes)
	target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
endfunction()
