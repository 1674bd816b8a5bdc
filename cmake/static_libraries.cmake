# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# The libraries that go into libjprof.so whole: jprof::pfm, jprof::jansson, jprof::sqlite; and
# of the C++ compiler's the demangler: jprof::demangler. Into the command alone: jprof::z,
# jprof::protobuf_c, and libevent's loop and HTTP: jprof::event_core, jprof::event_extra.
#
# Debian's archives refer to stdin, stdout and stderr by address, which a shared object
# cannot do; a copy of each archive has those names changed (see archive_streams.c).

add_library(jprof_archive_streams STATIC ${CMAKE_CURRENT_LIST_DIR}/archive_streams.c)

function(jprof_static_library name header archive)
	find_path(JPROF_${name}_INCLUDE ${header} REQUIRED)
	find_library(JPROF_${name}_ARCHIVE ${archive} REQUIRED)
	set(copy ${CMAKE_BINARY_DIR}/archives/${archive})
	add_custom_command(OUTPUT ${copy}
		COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/archives
		COMMAND ${CMAKE_OBJCOPY} --redefine-sym stdin=jprof_archive_stdin
			--redefine-sym stdout=jprof_archive_stdout
			--redefine-sym stderr=jprof_archive_stderr
			${JPROF_${name}_ARCHIVE} ${copy}
		DEPENDS ${JPROF_${name}_ARCHIVE} VERBATIM)
	add_custom_target(jprof_${name}_archive DEPENDS ${copy})
	add_library(jprof::${name} STATIC IMPORTED GLOBAL)
	add_dependencies(jprof::${name} jprof_${name}_archive)
	set_target_properties(jprof::${name} PROPERTIES
		IMPORTED_LOCATION ${copy}
		INTERFACE_INCLUDE_DIRECTORIES ${JPROF_${name}_INCLUDE})
	target_link_libraries(jprof::${name} INTERFACE jprof_archive_streams)
endfunction()

jprof_static_library(jansson jansson.h libjansson.a)
jprof_static_library(pfm perfmon/pfmlib_perf_event.h libpfm.a)
jprof_static_library(sqlite sqlite3.h libsqlite3.a)
jprof_static_library(z zlib.h libz.a)
jprof_static_library(protobuf_c protobuf-c/protobuf-c.h libprotobuf-c.a)
jprof_static_library(event_core event2/event.h libevent_core.a)
jprof_static_library(event_extra event2/http.h libevent_extra.a)
target_link_libraries(jprof::event_extra INTERFACE jprof::event_core)
find_program(PROTOC_C_PROGRAM protoc-c REQUIRED)
target_link_libraries(jprof::sqlite INTERFACE m ${CMAKE_DL_LIBS} Threads::Threads)

# One object of it is linked in, cp-demangle.o; it needs the C library alone. The compiler tells where the
# archive is; a sysroot's is beside its libgcc.
execute_process(COMMAND ${CMAKE_C_COMPILER} --sysroot=${CMAKE_SYSROOT} -print-file-name=libsupc++.a
	OUTPUT_VARIABLE JPROF_supc_printed OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT IS_ABSOLUTE "${JPROF_supc_printed}")
	file(GLOB JPROF_supc_found
		${CMAKE_SYSROOT}/usr/lib/gcc/${CMAKE_LIBRARY_ARCHITECTURE}/*/libsupc++.a)
	list(POP_BACK JPROF_supc_found JPROF_supc_printed)
endif()
if(NOT JPROF_supc_printed)
	message(FATAL_ERROR "there is no libsupc++.a: it comes with g++")
endif()
add_library(jprof::demangler STATIC IMPORTED GLOBAL)
set_target_properties(jprof::demangler PROPERTIES IMPORTED_LOCATION ${JPROF_supc_printed})
