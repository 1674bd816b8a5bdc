#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: puts probes into every class of the JDKs' own modules and of Debian's jars, and has the JVM
# verify them all.
#
#   run.sh BUILD_DIR JAVA...              the modules, and those jars that are installed
#   run.sh --only PACKAGE BUILD_DIR JAVA  jars of this package alone; MODULES=no: without the modules
#   PROBES=entry                          probes at the entry alone; PROBES=both: beside the others;
#                                         PROBES=count: those that count; PROBES=sites: of calls' lines, too;
#                                         PROBES=readings: of values, by an agent of the tests (native/readings.c)
#
# Every source is loaded and linked with the agent, under -Xverify:all, and where something fails once
# more without it: what fails only with the agent is a failure. Jars are taken as they are, and once
# more as class files of version 46, which the JVM verifies by inferring types. Less than one class
# in a thousand may be left without probes; they are listed, with the reason.
set -u
here=$(cd "$(dirname "$0")" && pwd)
packages=$(grep -v '^#' "$here/packages")
if [ "$1" = --only ]; then
	packages=$2
	shift 2
fi
build=$(realpath "$1")
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/jprof-verify.XXXXXX")
trap 'rm -rf "$work"' EXIT
bad=0 total=0 patch=()
# No calibration of whoever runs this, and none measured unasked: there is no place to keep one.
export XDG_CACHE_HOME=/dev/null
# The JDK's packages get probes where they are named, a few classes never (docs/options.md).
modules='include=*+java.*+javax.*+jdk.*+sun.*+com.*+org.*+netscape.*+apple.*'
modules+=',exclude=java.lang.JprofProbe+java.lang.Object+java.lang.ThreadLocal*+java.lang.VirtualThread*'
modules+='+jdk.internal.vm.*'
jars='include=*'
# Never is a stack taken.
never=:4294967295
of_modules="sample=enter:java.*$never" of_jars="sample=enter:*$never"
for package in javax jdk sun com org netscape apple; do
	of_modules+="+enter:$package.*$never"
done
case ${PROBES:-timed} in
entry) modules="calls=sample,$of_modules" jars="calls=sample,$of_jars" ;;
count) modules+=,calls=count,sample=off jars+=,calls=count,sample=off ;;
both) modules+=",$of_modules" jars+=",$of_jars" ;;
sites)
	modules+=",call_sites=*+java.*+javax.*+jdk.*+sun.*+com.*+org.*+netscape.*+apple.*" jars+=,call_sites=yes
	;;
esac

# The jars of the packages that are installed, a line each; links to others left out.
jars() {
	local package file

	for package in $packages; do
		dpkg -L "$package" 2>/dev/null
	done | grep '\.jar$' | sort -u | while read -r file; do
		[ -L "$file" ] || [ ! -f "$file" ] || echo "$file"
	done
}

# link JAVA FAILURES AGENT WORDS: one JVM.
link() {
	local java=$1 failures=$2 agent=$3
	shift 3
	timeout 900 "$java" -Xverify:all -Xmx3g -XX:-UsePerfData --add-modules ALL-SYSTEM ${agent:+"$agent"} \
		"${patch[@]}" -cp "$work" VerifyClasses "$failures" "$@" 2>"$work/stderr"
}

# agent OPTIONS: the agent and what it is told. That of the tests puts readings into all classes, with each set of other
# probes by turns, and writes the summary itself.
agent() {
	if [ "${PROBES:-}" = readings ]; then
		echo "-agentpath:$build/java-tests/libreadings.so=$work/summary.json,16"
	else
		echo "-agentpath:$build/libjprof.so=file=$work/p.jprof,max_memory=2g,$1"
	fi
}

# A fact of the profile's summary.
fact() {
	jq -r --arg key "$1" '.rows[] | select(.key == $key) | .value' "$work/summary.json"
}

# What got no probes, and why; native methods have no code to verify, and some classes must stay as they are.
left() {
	jq -r '.rows[] | select(.key | startswith("untouched.")) | .value
		| select(test(": native, |: its constructor runs|: the JVM switches|identity") | not)' \
		"$work/summary.json"
}

# one JAVA NAME INCLUDE SOURCE...
one() {
	local java=$1 name=$2 include=$3 plain with failed
	shift 3
	with=$(link "$java" "$work/with" "$(agent "$include")" "$@") &&
		plain=$(if [ -s "$work/with" ]; then link "$java" "$work/plain" "" "$@"; else
			: >"$work/plain"
			echo "$with"
		fi) || {
		echo "FAIL $name: the JVM ended early: $(tail -3 "$work/stderr")"
		bad=1
		return
	}
	[ "${PROBES:-}" = readings ] ||
		"$build/jprof" report "$work/p.jprof" --view summary --format json >"$work/summary.json"
	failed=$(comm -13 <(cut -d' ' -f1 "$work/plain" | sort -u) \
		<(cut -d' ' -f1 "$work/with" | sort -u) | tee "$work/failed" | wc -l)
	read -r classes low high <<<"$with"
	printf '%-30s %8d %5d-%d %9d %9d %9d %9d\n' "$name" "$classes" "$low" "$high" \
		"$(fact probes.classes)" "$(fact probes.methods)" "$(left | wc -l)" "$failed"
	[ "$plain" = "$with" ] || fail "other classes without the agent: $plain"
	[ "$failed" = 0 ] || fail "failed with probes only: $(head -20 "$work/failed")"
	[ $(($(left | wc -l) * 1000)) -lt "$classes" ] || fail "too many left without probes"
	[ "$(fact probes.methods)" -gt "$classes" ] || fail "there were hardly any probes"
	left | sed 's/^/    left: /'
	total=$((total + classes))
}

fail() {
	echo "FAIL $1"
	bad=1
}

mapfile -t files < <(jars)
printf '%-30s %8s %8s %9s %9s %9s %9s\n' source classes versions probes methods left failures
for java in "$@"; do
	"$(dirname "$java")/javac" --release 17 -d "$work" "$here/VerifyClasses.java" || exit 1
	if [ "${PROBES:-}" = readings ]; then
		"$(dirname "$java")/javac" --patch-module "java.base=$here/../readings" -d "$work/probe" \
			"$here/../readings/java/lang/JprofProbe.java" || exit 1
		patch=(--patch-module "java.base=$work/probe")
	fi
	release=$("$java" -XshowSettings:properties -version 2>&1 |
		sed -n 's/^ *java.specification.version = //p')
	[ "${MODULES:-yes}" = no ] || one "$java" "JDK $release: its modules" "$modules" jdk
	[ ${#files[@]} -gt 0 ] || continue
	one "$java" "JDK $release: ${#files[@]} jars" "$jars" 0 "${files[@]}"
	one "$java" "JDK $release: jars as version 46" "$jars" 46 "${files[@]}"
done
echo "$total classes"
exit $bad
