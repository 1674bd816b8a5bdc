# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# The libraries that go into libjprof.so whole: jprof::pfm, jprof::jansson, jprof::sqlite.

function(jprof_static_library name header archive)
	find_path(JPROF_${name}_INCLUDE ${header} REQUIRED)
	find_library(JPROF_${name}_ARCHIVE ${archive} REQUIRED)
	add_library(jprof::${name} STATIC IMPORTED GLOBAL)
	set_target_properties(jprof::${name} PROPERTIES
		IMPORTED_LOCATION ${JPROF_${name}_ARCHIVE}
		INTERFACE_INCLUDE_DIRECTORIES ${JPROF_${name}_INCLUDE})
endfunction()

jprof_static_library(jansson jansson.h libjansson.a)
jprof_static_library(sqlite sqlite3.h libsqlite3.a)
target_link_libraries(jprof::sqlite INTERFACE m ${CMAKE_DL_LIBS} Threads::Threads)
jprof_static_library(pfm perfmon/pfmlib_perf_event.h libpfm.a)

# Debian's libpfm.a is not position independent in one thing: it takes stdout and stderr by
# address. Its copy of the two names is renamed here, and defined in metric/pfm_streams.c.
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/libpfm_pic.a
	COMMAND ${CMAKE_OBJCOPY} --redefine-sym stderr=jprof_pfm_stderr
		--redefine-sym stdout=jprof_pfm_stdout
		${JPROF_pfm_ARCHIVE} ${CMAKE_BINARY_DIR}/libpfm_pic.a
	DEPENDS ${JPROF_pfm_ARCHIVE} VERBATIM)
add_custom_target(jprof_pfm_pic DEPENDS ${CMAKE_BINARY_DIR}/libpfm_pic.a)
set_target_properties(jprof::pfm PROPERTIES
	IMPORTED_LOCATION ${CMAKE_BINARY_DIR}/libpfm_pic.a)
add_dependencies(jprof::pfm jprof_pfm_pic)
