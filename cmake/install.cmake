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
install(FILES docs/jprof.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(DIRECTORY config/ DESTINATION ${CMAKE_INSTALL_DATADIR}/jprof)
