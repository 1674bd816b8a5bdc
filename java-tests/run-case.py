#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Runs one case in a child JVM under the agent, and compares its profile with what the case counted
itself.

    run-case.py JAVA JPROF LIBJPROF BUILD CASE

BUILD holds classes/, libcases.so and premain.jar. How a case is run stands in its first lines:

    // run: NAME [JVM WORDS] [-- AGENT OPTIONS]    once for each such line
    // run[WAY...]: NAME ...                       only if calls are seen in one of these ways
        Among the words @BUILD@ stands for BUILD, and @AGENT@ for the agent where it is not to come
        first.
    // exit: STATUS                                if another than 0 is right
    // stderr: REGEX                               lines that may appear there
    // may-be-above-0: KEY ...                     of the summary; others count what went wrong
    // attaches: itself                            the case calls Attach.await() in its midst

WAY=events|instrument|attach|count|auto chooses how calls are seen: by the JVM's events, by probes from the
start, by probes of an agent that is loaded as jcmd does it, just before the case's main is called; counted by
method, from the start; or timed and counted by turns, as JPROF_RESTLESS changes them all the time.
ASM is the jar of the class-file library that some cases generate classes with. KEEP=1 keeps the
directory.
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import sums
import truth
import views

LOSSES = ["lost", "repaired", "unmatched", "threads.lost", "methods.lost", "metric.losses"]
# JDK 17 with -Xcheck:jni counts the references that the JVM itself makes for method events, and
# warns, with a stack, whatever the agent does (an agent with empty callbacks included). They end
# with the callback.
REFERENCE_COUNTS = re.compile(
    r"^WARNING: JNI local refs: [0-9]+, exceeds capacity.*\n(?:\t(?:at |- ).*\n)*", re.M)


def jvm_load(pid, agent, options):
    """Loads the agent as jcmd would, without a JVM for that; what the attach listener answers
    (HotSpot, attachListener_posix.cpp)."""
    asking = pathlib.Path(f"/proc/{pid}/cwd/.attach_pid{pid}")
    door = pathlib.Path(f"/tmp/.java_pid{pid}")
    asking.touch()
    os.kill(pid, signal.SIGQUIT)
    while not door.is_socket() and pathlib.Path(f"/proc/{pid}").exists():
        time.sleep(0.01)
    asking.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(door))
        connection.sendall("\0".join(["1", "load", agent, "true", options, ""]).encode())
        answer = b""
        while part := connection.recv(4096):
            answer += part
    return answer.decode(errors="surrogateescape")


class Case:
    """A case, run in one way."""

    def __init__(self, java, jprof, agent, build, name, way):
        self.java, self.jprof, self.agent, self.build = java, jprof, agent, build
        self.name, self.way = name, way
        here = pathlib.Path(__file__).resolve().parent
        self.source = (here / "cases" / f"{name}.java").read_text()
        self.failed = False

    def directive(self, word):
        found = re.findall(rf"^// {word}(?:\[([^]]*)\])?: *(.*)$", self.source, re.M)
        return [text for ways, text in found if not ways or self.way in ways.split()]

    def fail(self, run, text):
        print(f"FAIL {self.name} ({run}): {text}")
        self.failed = True

    def lacks_collector(self, words):
        """Collectors differ between JVMs: a run whose collector this JVM lacks is left out."""
        return any(subprocess.run([self.java, word, "-version"], capture_output=True).returncode
                   for word in words if re.fullmatch(r"-XX:\+Use\w*GC", word))

    def attach(self, child, folder, options):
        """Loads the agent into the JVM when that has got so far. None, or what the JVM says where it
        does not."""
        while not (folder / "attach.ready").exists():
            if child.poll() is not None:
                return None
            time.sleep(0.01)
        said = jvm_load(child.pid, self.agent, options)
        (folder / "attach.go").touch()
        return None if re.search("^return code: 0", said, re.M) else said

    def start(self, run, folder, options, words):
        """The JVM, with its exit status when it has ended."""
        calls = {"events": "events", "count": "count", "auto": "auto,budget=1"}.get(self.way, "instrument")
        options = ",".join([f"file={folder}/case.jprof", f"calls={calls}",
                            "exclude=cases.Truth+cases.Attach"] + ([options] if options else []))
        load = f"-agentpath:{self.agent}={options}"
        main = [f"cases.{self.name}"]
        if self.way == "attach":
            if not self.directive("attaches"):
                main.insert(0, "cases.Attach")
        elif not any("@AGENT@" in word for word in words):
            words = [load] + words
        words = [word.replace("@AGENT@", load).replace("@BUILD@", self.build) for word in words]
        classes = [f"{self.build}/classes", os.environ.get("ASM", "/usr/share/java/asm.jar"),
                   f"{pathlib.Path(self.agent).parent}/jprof.jar"]
        with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
            child = subprocess.Popen(
                [self.java, "-Xcheck:jni", "-XX:+EnableDynamicAgentLoading", "-XX:-UsePerfData",
                 "-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED", *words,
                 f"-Dtruth.file={folder}/truth.txt", f"-Dtruth.run={run}", f"-Dtruth.way={self.way}",
                 f"-Dtruth.agent={self.agent}", f"-Dattach.directory={folder}",
                 f"-Djava.library.path={self.build}", "-cp", ":".join(classes), *main],
                stdout=out, stderr=err,
                env=os.environ | ({"JPROF_RESTLESS": "1"} if self.way == "auto" else {}))
        try:
            if self.way == "attach":
                refused = self.attach(child, folder, options)
                if refused:
                    self.fail(run, f"load: {refused[-1000:]}")
            return child.wait(timeout=300)
        finally:
            child.kill()

    def check_output(self, run, folder, status):
        expected = int((self.directive("exit") or ["0"])[0])
        if status != expected:
            self.fail(run, f"exit status {status}, expected {expected}")
        allowed = self.directive("stderr")
        said = (folder / "stderr").read_text(errors="surrogateescape").splitlines(True)
        unexpected = [line for line in said
                      if not any(re.search(pattern, line.rstrip("\n")) for pattern in allowed)]
        printed = (folder / "stdout").read_text(errors="surrogateescape")
        unexpected += REFERENCE_COUNTS.sub("", printed).splitlines(True)
        if unexpected:
            self.fail(run, "unexpected output:\n" + "".join(unexpected[:40]))

    def check_profile(self, run, folder, facts):
        seen = views.Views(self.jprof, folder / "case.jprof")
        may_be = " ".join(self.directive("may-be-above-0")).split()
        try:
            lines = truth.differences(facts, seen, [key for key in LOSSES if key not in may_be])
            lines += sums.differences(seen)
        except views.Refused as refused:
            lines = [str(refused)]
        if lines:
            self.fail(run, f"{len(lines)} differences\n" + "\n".join(lines[:40]))

    def run(self, line, work):
        line, _, options = line.partition(" -- ")
        run, *words = line.split()
        folder = work / run
        folder.mkdir(exist_ok=True)
        if self.lacks_collector(words):
            print(f"not run: {self.name} ({run}): this JVM has no {' '.join(words)}")
            return
        status = self.start(run, folder, options.strip(), words)
        self.check_output(run, folder, status)
        file = folder / "truth.txt"
        facts = file.read_text(errors="surrogateescape") if file.exists() else ""
        if not facts:
            self.fail(run, "the case wrote no facts")
        if not re.search("^nothing", facts, re.M) or (folder / "case.jprof").exists():
            self.check_profile(run, folder, facts)


def main():
    # No calibration of whoever runs this, and none measured unasked: there is no place to keep one.
    os.environ["XDG_CACHE_HOME"] = "/dev/null"
    case = Case(*sys.argv[1:], os.environ.get("WAY", "events"))
    work = pathlib.Path(tempfile.mkdtemp(prefix=f"jprof-{case.name}."))
    try:
        for line in case.directive("run"):
            case.run(line, work)
    finally:
        if not os.environ.get("KEEP"):
            shutil.rmtree(work, ignore_errors=True)
    return case.failed


sys.exit(main())
