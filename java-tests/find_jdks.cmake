# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors

# jprof_find_jdks(OUT): every JDK of this machine (JAVA_HOME, /usr/lib/jvm/*), each once, as a
# list of RELEASE=HOME, the oldest first.
function(jprof_find_jdks out)
	file(GLOB candidates LIST_DIRECTORIES true /usr/lib/jvm/*)
	if(DEFINED ENV{JAVA_HOME})
		list(PREPEND candidates $ENV{JAVA_HOME})
	endif()
	set(homes)
	set(found)
	foreach(candidate ${candidates})
		file(REAL_PATH ${candidate} home)
		if(home IN_LIST homes OR NOT EXISTS ${home}/bin/javac OR NOT EXISTS ${home}/release)
			continue()
		endif()
		list(APPEND homes ${home})
		file(STRINGS ${home}/release version REGEX "^JAVA_VERSION=")
		if(version MATCHES "\"([0-9]+)")
			list(APPEND found ${CMAKE_MATCH_1}=${home})
		endif()
	endforeach()
	list(SORT found COMPARE NATURAL)
	set(${out} ${found} PARENT_SCOPE)
endfunction()
