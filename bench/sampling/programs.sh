# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# programs: the real programs that benchmarks of samples have in turns (Steady.java), and what they need; sourced by
# them, behind common.sh.
# shellcheck shell=bash

# Files in memory: what a disk does differs by more than what is measured.
if [ -w /dev/shm ]; then
	TMPDIR=/dev/shm
fi
jars=/usr/share/java
h2=${H2_JAR:-$jars/h2.jar}
tomcat=$jars/tomcat10-embed-core.jar
shop=$here/../../demo/shop.sql

tomcat_path() {
	echo "$tomcat:$jars/tomcat10-annotations-api.jar:$work"
}

# tomcat_server JAVA OPTION: the command, in `server`.
tomcat_server() {
	server=("$1" -XX:+EnableDynamicAgentLoading "$2" -cp "$(tomcat_path)"
		-Djava.util.logging.config.file=/dev/null Server)
}

# prepare_jdk HOME: compiles the programs, and unpacks what javac is to compile.
prepare_jdk() {
	local tree=$work/jdk.hotspot.agent

	rm -rf "$tree" "$tree-classes" "$work"/*.class
	"$1/bin/javac" -XDsuppressNotes -cp "$(tomcat_path)" -d "$work" "$here"/*.java \
		"$here"/../programs/Requests.java
	if [ -r "$tomcat" ]; then
		"$1/bin/javac" -XDsuppressNotes -cp "$(tomcat_path)" -d "$work" \
			"$here"/../programs/Server.java
	fi
	if [ -r "$1/lib/src.zip" ]; then
		(cd "$work" && "$1/bin/jar" xf "$1/lib/src.zip" jdk.hotspot.agent)
		mkdir -p "$tree-classes"
		find "$tree" -name '*.java' | sort >"$work/all"
		grep '/sun/jvm/hotspot/\(asm\|code\|oops\|utilities\)/' "$work/all" \
			>"$work/sources"
	fi
}
