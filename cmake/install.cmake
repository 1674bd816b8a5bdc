# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
include(GNUInstallDirs)
foreach(target jprof jprof_agent)
	if(TARGET ${target})
		install(TARGETS ${target}
			RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
			LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
	endif()
endforeach()
install(FILES include/jprof.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} OPTIONAL)
if(TARGET jprof_jar)
	install(FILES ${CMAKE_BINARY_DIR}/jprof.jar DESTINATION ${CMAKE_INSTALL_DATADIR}/java)
	install(FILES ${CMAKE_BINARY_DIR}/jprof-calibration.jar
		DESTINATION ${CMAKE_INSTALL_DATADIR}/jprof)
endif()
# What completes words in shells, printed by the command itself: not where it cannot run.
if(NOT CMAKE_CROSSCOMPILING)
	set(completions ${CMAKE_BINARY_DIR}/completions)
	file(MAKE_DIRECTORY ${completions})
	add_custom_command(OUTPUT ${completions}/jprof ${completions}/_jprof ${completions}/jprof.fish
		COMMAND jprof completion bash > ${completions}/jprof
		COMMAND jprof completion zsh > ${completions}/_jprof
		COMMAND jprof completion fish > ${completions}/jprof.fish
		DEPENDS jprof VERBATIM)
	add_custom_target(jprof_completions ALL DEPENDS ${completions}/jprof)
	install(FILES ${completions}/jprof
		DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
	install(FILES ${completions}/_jprof
		DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
	install(FILES ${completions}/jprof.fish
		DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(FILES docs/jprof.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(DIRECTORY config/ DESTINATION ${CMAKE_INSTALL_DATADIR}/jprof)
