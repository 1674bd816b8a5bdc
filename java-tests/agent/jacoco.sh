#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# jacoco: another agent that rewrites the same classes, before jprof on the command line, behind
# it, and there when jprof is attached. Each finds what it finds alone: JaCoCo the same probes
# executed, jprof the same calls.
. "$(dirname "$0")/common.sh"
need jq unzip
jars=/usr/share/java
[ -f $jars/org.jacoco.agent.jar ] || skip 'not run: JaCoCo is not installed'
unzip -qo $jars/org.jacoco.agent.jar jacocoagent.jar -d "$work"

cat >"$work/Covered.java" <<'JAVA'
import java.nio.file.*;

/** Some covered branches, some not; waits for a file in the middle, if one is named. */
public class Covered {
	static int calls;

	static int collatz(long n) {
		calls++;
		if (n == 1)
			return 0;
		if (n < 0)
			throw new IllegalArgumentException();
		return 1 + collatz(n % 2 == 0 ? n / 2 : 3 * n + 1);
	}

	static int thrown(int n) {
		calls++;
		try {
			return 10 / n;
		} catch (ArithmeticException e) {
			return -1;
		} finally {
			calls += 0;
		}
	}

	static int half() {
		int sum = 0;
		for (int i = 1; i < 200; i++)
			sum += collatz(i) + thrown(i % 3);
		return sum;
	}

	public static void main(String[] args) throws Exception {
		int sum = args.length > 0 ? 0 : half();
		if (args.length > 0) {
			Files.createFile(Path.of(args[0] + ".ready"));
			do
				Thread.sleep(5);
			while (!Files.exists(Path.of(args[0])));
			sum += half();
		}
		System.out.println("sum " + sum + " calls " + calls);
	}
}
JAVA
cat >"$work/Coverage.java" <<'JAVA'
import java.io.*;
import java.util.*;
import org.jacoco.core.data.*;

/** Prints what JaCoCo's file says of the class Covered. */
public class Coverage {
	public static void main(String[] args) throws IOException {
		try (InputStream in = new FileInputStream(args[0])) {
			ExecutionDataReader reader = new ExecutionDataReader(in);
			reader.setSessionInfoVisitor(info -> { });
			reader.setExecutionDataVisitor(data -> {
				if (data.getName().equals("Covered"))
					System.out.println(data.getId() + " " + Arrays.toString(data.getProbes()));
			});
			reader.read();
		}
	}
}
JAVA

# covered JAVA FILE: what JaCoCo found.
covered() {
	"$1" -cp "$work:$jars/org.jacoco.core.jar" Coverage "$2"
}

calls() {
	"$jprof" report "$1" --view methods --format json |
		jq '[.rows[] | select(.method == "collatz" or .method == "thrown") | .calls] | add'
}

# check WHAT JAVA EXEC-FILE
check() {
	local wrong

	[ "$(cat "$work/out")" = "$printed" ] || fail "$1: printed '$(head -3 "$work/out")'"
	[ "$(covered "$2" "$3")" = "$alone" ] || fail "$1: JaCoCo finds
$(covered "$2" "$3"), not
$alone"
	[ "$(calls "$work/p.jprof")" = "${printed##* }" ] ||
		fail "$1: $(calls "$work/p.jprof") calls, not ${printed##* }"
	for wrong in repaired unmatched lost untouched; do
		[ "$(fact $wrong)" = 0 ] ||
			fail "$1: $wrong is not 0"
	done
	rm -f "$work/p.jprof"
}

# attach JAVA PID
attach() {
	"$(dirname "$1")/jcmd" "$2" JVMTI.agent_load "\"$agent\"" \
		"\"file=$work/p.jprof,exclude=org.jacoco.*\"" >"$work/jcmd" 2>&1
	grep -q '^return code: 0' "$work/jcmd" || fail "jcmd: $(cat "$work/jcmd")"
}

# waiting JAVA EXEC-FILE [attach]: the program with a pause in the middle, for an attach perhaps.
waiting() {
	local child

	rm -f "$work/go"*
	"$1" -Xverify:all -XX:+EnableDynamicAgentLoading "$cover/$2" -cp "$work" Covered \
		"$work/go" >"$work/out" 2>"$work/err" &
	child=$!
	while [ ! -e "$work/go.ready" ] && kill -0 $child 2>/dev/null; do sleep 0.05; done
	if [ -n "${3:-}" ]; then
		attach "$1" $child
	else
		sleep 0.2
	fi
	touch "$work/go"
	wait $child
}

for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" --release 11 -d "$work" -cp $jars/org.jacoco.core.jar \
		"$work/Covered.java" "$work/Coverage.java" 2>"$work/err" || skip 'not run: no --release 11'
	rm -f "$work"/*.exec "$work"/go*
	cover="-javaagent:$work/jacocoagent.jar=includes=Covered,destfile=$work"
	# JaCoCo is excluded, so that the profile holds the program alone.
	load="-agentpath:$agent=file=$work/p.jprof,exclude=org.jacoco.*"
	"$java" "$cover/alone.exec" -cp "$work" Covered >"$work/out" 2>"$work/err" ||
		skip "not run: this JaCoCo does not know $java: $(head -1 "$work/err")"
	printed=$(cat "$work/out")
	alone=$(covered "$java" "$work/alone.exec")
	[ -n "$alone" ] || skip "not run: this JaCoCo does not know the classes of $java"

	"$java" -Xverify:all "$cover/before.exec" "$load" -cp "$work" Covered >"$work/out" 2>"$work/err"
	check 'JaCoCo first' "$java" "$work/before.exec"
	"$java" -Xverify:all "$load" "$cover/behind.exec" -cp "$work" Covered >"$work/out" 2>"$work/err"
	check 'jprof first' "$java" "$work/behind.exec"

	# The same way through main, without jprof first.
	waiting "$java" waiting.exec
	alone=$(covered "$java" "$work/waiting.exec")
	waiting "$java" attached.exec attach
	check 'jprof attached' "$java" "$work/attached.exec"
done
finish
