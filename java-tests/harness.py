# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""What test programs of the agent's life share. Each is called with

    SOURCE_DIR BUILD_DIR CLASSES JAVA...

makes one Test, and ends with its finish(). A check that fails is a line "FAIL: ..."; the program
goes on. KEEP=1 keeps the test's folder.
"""
import atexit
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import sums
import views

SKIPPED = 77


class Done:
    """A command that has ended."""

    def __init__(self, words, completed):
        self.words = " ".join(str(word) for word in words)
        self.status, self.out, self.err = (completed.returncode, completed.stdout,
                                           completed.stderr)

    def __str__(self):
        return f"{self.words}: exit status {self.status}: {(self.err or self.out)[:500]}"


def run(*words, timeout=120, **how):
    """Runs a command to its end; what it prints is text."""
    how = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True,
           "errors": "surrogateescape", "check": False, "timeout": timeout} | how
    return Done(words, subprocess.run([str(word) for word in words], **how))


def wait_for(condition, seconds=30):
    """Until the condition holds: what it returned, or None after so many seconds."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value or None
        time.sleep(0.02)


def forget(pid):
    """What a process of this number has left behind when it was killed. Numbers come again."""
    for folder in "/tmp", "/dev/shm", "/var/tmp":
        shutil.rmtree(f"{folder}/.jprof-{pid}", ignore_errors=True)
    for name in f"/tmp/.java_pid{pid}", f"/tmp/.attach_pid{pid}":
        pathlib.Path(name).unlink(missing_ok=True)


class Test:
    """A test program."""

    def __init__(self, *tools):
        """tools: commands without which the test is skipped."""
        self.source, self.build, self.classes = map(pathlib.Path, sys.argv[1:4])
        self.javas = sys.argv[4:]
        self.agent, self.program = self.build / "libjprof.so", self.build / "jprof"
        self.failures = self.profiles = 0
        self.summed = set()
        for tool in tools:
            if not shutil.which(tool):
                print(f"not run: there is no {tool} here")
                sys.exit(SKIPPED)
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="jprof-agent."))
        if not os.environ.get("KEEP"):
            atexit.register(shutil.rmtree, self.work, ignore_errors=True)
        # No calibration of whoever runs this, and none measured unasked.
        os.environ["XDG_CACHE_HOME"] = "/dev/null"

    # --- checks ---

    def fail(self, text):
        print(f"FAIL: {text}", flush=True)
        self.failures += 1

    def expect(self, good, text):
        if not good:
            self.fail(text)

    def same(self, what, expected, found):
        """Dictionaries, or lists, of which only what differs is printed."""
        if expected == found:
            return
        if isinstance(expected, dict):
            expected, found = list(expected.items()), list(found.items())
        self.fail(f"{what}: expected {[row for row in expected if row not in found][:12]}, "
                  f"found {[row for row in found if row not in expected][:12]}")

    def twice(self, what, record, differences):
        """Fails with what differences(*record()) yields, if it is something twice: noise, by chance or by what else runs
        on the machine, seldom comes twice. Returns what was recorded last."""
        for _ in range(2):
            print(what, flush=True)
            recorded = record()
            wrong = list(differences(*recorded))
            if not wrong:
                break
        for line in wrong:
            self.fail(f"{what}: {line}")
        return recorded

    def has_line(self, what, text, *words):
        """One of the text's lines holds all the words."""
        self.expect(any(all(word in line for word in words) for line in text.splitlines()),
                    f"{what}: no line with {words} in: {text[:500]}")

    def lacks(self, what, text, word):
        self.expect(word not in text, f"{what}: '{word}' is in: {text[:500]}")

    # --- commands ---

    def javac(self, java, *names):
        """Compiles programs of java-tests/agent into the test's folder."""
        done = run(pathlib.Path(java).parent / "javac", "-XDsuppressNotes", "-cp", self.build / "jprof.jar", "-d", self.work,
                   *(self.source / "java-tests/agent" / f"{name}.java" for name in names))
        if done.status != 0:
            self.fail(str(done))
            self.finish()

    def jprof(self, *words, status=0, **how):
        """The command, which has to end with this status."""
        done = run(self.program, *words, **how)
        self.expect(done.status == status, str(done))
        return done

    def refused(self, pattern, *words, **how):
        """The command fails with one line that matches."""
        done = self.jprof(*words, status=1, **how)
        self.expect(len(done.err.splitlines()) == 1, f"not one line: {done}")
        self.expect(re.search(pattern, done.err), f"'{pattern}' is not in: {done}")

    # --- profiles ---

    def new_profile(self):
        """The path of a profile that is not there yet."""
        self.profiles += 1
        return self.work / f"{self.profiles}.jprof"

    def views(self, profile):
        return views.Views(self.program, profile)

    def calls(self, profile, classes):
        """Calls of the methods of classes whose name matches, by "class.method"."""
        return {f"{row['class']}.{row['method']}": row["calls"]
                for row in self.views(profile).rows("methods")
                if row["class"] and re.search(classes, row["class"]) and (row["calls"] or 0) > 0}

    def sound(self, what, profile):
        """Nothing is lost, and all adds up."""
        seen = self.views(profile)
        for key in "lost", "repaired", "unmatched", "pruned", "interval.clamped":
            self.expect(str(seen.fact.get(key, 0)) in ("0", "no"),
                        f"{what}: {key}={seen.fact.get(key)}")
        self.adds_up(what, seen)

    def adds_up(self, what, seen):
        self.summed.add(pathlib.Path(seen.profile))
        for line in sums.differences(seen)[:20]:
            self.fail(f"{what}: {line}")

    def whole(self, what, profile):
        """It is a sound database, and says that it is complete."""
        with sqlite3.connect(profile) as database:
            sound = database.execute("PRAGMA integrity_check").fetchone()[0]
        self.expect(sound == "ok", f"{what}: not a sound database: {sound}")
        self.expect(self.views(profile).fact.get("complete") == "yes",
                    f"{what}: {profile.name} does not say that it is complete")

    def finish(self):
        """Whatever was recorded whole, and is still there, has to add up. Ends the program."""
        for profile in sorted(set(self.work.rglob("*.jprof")) - self.summed):
            seen = self.views(profile)
            try:
                whole = seen.fact.get("complete") == "yes"
            except views.Refused:
                continue
            if whole:
                self.adds_up(profile.name, seen)
        sys.exit(self.failures > 0)


class Target:
    """A JVM that does what it is told, a line at a time: it answers each line with lines of its
    own and then "done". So a test knows what was called between two commands, without a clock."""

    def __init__(self, test, *words, known_errors="^$", env=None):
        self.test, self.known_errors = test, known_errors
        self.err = test.work / "target.err"
        with open(self.err, "wb") as err:
            self.process = subprocess.Popen([str(word) for word in words], text=True, bufsize=1,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=err, env=env,
                                            preexec_fn=lambda: forget(os.getpid()))
        self.pid = self.process.pid
        atexit.register(self.kill)

    def tell(self, *words):
        """The program does it; the lines that it answers."""
        answer = []
        signal.alarm(120) # a program that is silent for so long ends the test
        try:
            self.process.stdin.write(" ".join(str(word) for word in words) + "\n")
            for line in self.process.stdout:
                if line == "done\n":
                    return answer
                answer.append(line.rstrip("\n"))
        except BrokenPipeError:
            pass
        finally:
            signal.alarm(0)
        self.test.fail(f"the program did not do {words}: {self.said()[:1000]}")
        return answer

    def counts(self, *words):
        """The same, of lines "NAME NUMBER"."""
        return {name: int(number) for name, number in
                (line.rsplit(" ", 1) for line in self.tell(*words))}

    def said(self):
        return self.err.read_text(errors="surrogateescape")

    def end(self):
        """It ends by itself, with the status 7, and has said nothing on its standard error."""
        self.process.stdin.write("quit\n")
        self.process.stdin.close()
        status = self.process.wait(timeout=120)
        self.test.expect(status == 7, f"the program's exit status is {status} instead of 7")
        for line in self.said().splitlines():
            self.test.expect(re.search(self.known_errors, line),
                             f"the program's standard error: {line}")

    def kill(self):
        """Leaves nothing of it behind."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
            forget(self.pid)
