#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""What is under way when a session ends, or begins, does no harm to the next one: jprof's own thread,
native threads that come and go, an archive that stays open, a thread that waits in accept() across a
detach, native methods that are called all the time (also where their functions cannot be found), a
disk that hangs, commands to a JVM that has hardly begun.

Not tested: a disk that hangs for longer than the agent waits for it, a minute."""
import os
import pathlib
import shutil
import subprocess
import sys
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Target, Test, run, wait_for  # noqa: E402

CPU_SLACK = 100_000_000  # ns: a clock beside another
MOST_BYTES = 1_000_000_000
JOBS_AND_NOISE = "agent.LateJobs+agent.LateNoise"


class Late:
    """A JVM, and its sessions."""

    def __init__(self, test, java, *wrapper, **how):
        self.test, self.profile = test, None
        library = test.classes.parent  # the folder of libcases.so
        self.target = Target(test, *wrapper, java, "-Xcheck:jni", "-XX:+EnableDynamicAgentLoading",
                             "--enable-native-access=ALL-UNNAMED", f"-Djava.library.path={library}",
                             "-cp", test.work, "agent.Late", test.work, **how)
        self.tell("read")  # nothing; but it is there now

    def tell(self, *words):
        return self.target.tell(*words)

    def begin(self, command, *options):
        """attach or start."""
        self.profile = self.test.new_profile()
        if "--calls" not in options:
            options += ("--calls", "instrument")
        self.test.jprof(command, self.target.pid, "--file", self.profile, *options)

    def end(self, what, command="stop"):
        """stop or detach; of the profile, what always holds."""
        self.test.jprof(command, self.target.pid)
        self.test.sound(what, self.profile)
        no_own_thread(self.test, what, self.profile)
        self.bounded(what)

    def bounded(self, what):
        """No node has more time than has passed, or more bytes than could have been allocated."""
        seen = self.test.views(self.profile)
        most = {"wall": seen.fact["duration"], "alloc": MOST_BYTES,
                "cpu": seen.fact["duration"] + CPU_SLACK}
        for row in seen.rows("tree"):
            for metric, value in row["base"].items():
                self.test.expect(0 <= value <= most[metric], f"{what}: not possible: "
                                 f"{row['class']}.{row['method']}: {metric} {value}")

    def calls(self, classes):
        return self.test.calls(self.profile, classes)

    # --- the parts ---

    def own_thread(self):
        self.begin("attach", "--include", "agent.Late*")
        self.end("own thread")
        for turn in range(3):
            self.begin("start", "--include", "*")
            self.tell("phase", 1)
            self.end(f"own thread, {turn}")

    def native_calls(self, what, steps):
        calls = self.calls("^agent.Late$")
        self.test.same(what, {"agent.Late.enter": 4, "agent.Late.step": steps},
                       {name: calls.get(name) for name in ("agent.Late.enter", "agent.Late.step")})

    def native_threads(self):
        """Each native thread has another fate between the sessions."""
        self.begin("start", "--include", "agent.Late")
        for number in range(4):
            self.tell("native", number, "attach")
            self.tell("native", number, "work", 10)
        for number in range(3):
            self.tell("native", number, "detach")  # 3 stays
        self.tell("native", 0, "attach")  # and again
        self.tell("native", 0, "detach")
        self.end("native threads, first")
        self.native_calls("native threads, first", 40)
        self.tell("native", 0, "attach")
        self.tell("native", 3, "detach")
        self.tell("native", 3, "attach")
        self.begin("start", "--include", "agent.Late")
        self.tell("native", 1, "attach")
        for number in 0, 1, 3:
            self.tell("native", number, "work", number + 20)
        self.tell("native", 0, "detach")
        self.tell("native", 0, "attach")
        self.tell("native", 0, "work", 5)
        self.end("native threads, second")
        self.native_calls("native threads, second", 20 + 21 + 23 + 5)

    def archive(self):
        path = self.test.work / "late.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for number in range(3):
                archive.writestr(f"entry-{number}", os.urandom(20000))
        for turn in range(3):
            self.begin("start", "--include", "agent.Late")
            self.tell("archive")
            self.end(f"archive, {turn}")
            rows = self.test.views(self.profile).rows("entries")
            self.test.same(f"archive, {turn}", [f"entry-{number}" for number in range(3)],
                           sorted(row["entry"] for row in rows
                                  if row["archive"] == str(path) and row["reads"]["ops"] > 0
                                  and row["entry"].startswith("entry")))

    def accepts(self):
        """The numbers of two sockets become those of files while no agent is there."""
        test = self.test
        for number in range(20):
            (test.work / f"file-{number}").write_text("text\n")
        self.begin("start", "--include", "agent.Late")
        self.tell("accept")
        self.end("accept, first", "detach")
        opened = [line.rsplit(" ", 1) for line in self.tell("connect")]
        files = sorted((path, int(number)) for path, number in opened if "file-" in path)
        sockets = [int(number) for path, number in opened if path == "socket"]
        test.expect(len(sockets) == 2, f"accept: {len(sockets)} sockets instead of 2")
        numbers = [number for path, number in files]
        test.expect(set(sockets) <= set(numbers), f"accept: no file has one of {sockets}: {numbers}")
        self.begin("attach", "--include", "agent.Late")
        self.tell("read")
        self.end("accept, second")
        seen = test.views(self.profile)
        test.same("accept: files", [(path, number, "attach", 1) for path, number in files],
                  sorted((row["path"], row["descriptor"], row["known_from"], row["reads"]["ops"])
                         for row in seen.rows("files")
                         if row["path"] and row["path"].startswith(f"{test.work}/file-")))
        for row in seen.rows("connections"):
            test.expect(row["descriptor"] not in numbers,
                        f"accept: a connection in place of a file: {row}")

    def jobs(self, what, count):
        """A phase, all of which is in the profile."""
        calls = self.target.counts("phase", count)
        self.end(what)
        self.test.same(what, calls, self.calls("^agent.LateJobs$"))

    def phase(self, what, count, expected):
        """A phase, of which this is in the profile."""
        self.tell("phase", count)
        self.end(what)
        self.test.same(what, expected, self.calls("^agent"))

    def shapes(self):
        """Sessions of many shapes one after another, while native methods are called all the time:
        a thread that is held up in the midst of an event finds another session than the one it
        came for."""
        self.tell("noise")
        self.begin("start", "--include", JOBS_AND_NOISE, "--metrics", "wall")
        self.jobs("wall", 500)
        self.begin("start", "--include", JOBS_AND_NOISE, "--metrics", "wall+cpu+alloc")
        self.jobs("wall+cpu+alloc", 300)
        self.begin("start", "--calls", "off", "--metrics", "wall+cpu+alloc")
        self.phase("calls=off", 500, {})
        self.begin("start", "--include", "agent.LateJobs.job", "--metrics", "cpu")
        self.phase("job alone", 300, {"agent.LateJobs.job": 1500})
        for turn in range(2):
            for metrics in "wall", "wall+cpu+alloc", "alloc":
                self.begin("start", "--include", "agent.LateNoise", "--metrics", metrics)
                self.test.jprof("stop", self.target.pid)
                self.bounded(f"{metrics} in haste, {turn}")

    def natives_kept(self, refused):
        """Natives that were bound in a session keep what was put in front of them. Whether they are
        seen in the next session is not promised; but then it is each call."""
        self.begin("attach", "--include", JOBS_AND_NOISE, "--metrics", "wall")
        self.tell("noise")
        self.jobs("kept, wall", 300)
        self.test.expect(refused.exists(), "kept: nobody has called process_vm_readv")
        for turn in range(2):
            self.begin("start", "--calls", "off", "--metrics", "wall+cpu+alloc")
            self.phase(f"kept, calls=off, {turn}", 200, {})
            self.begin("start", "--include", "agent.LateJobs.job", "--metrics", "wall+alloc")
            self.phase(f"kept, job alone, {turn}", 300, {"agent.LateJobs.job": 1500})
            self.begin("start", "--include", JOBS_AND_NOISE, "--metrics", "wall+cpu+alloc")
            expected = self.target.counts("phase", 200)
            self.end(f"kept, wall+cpu+alloc, {turn}")
            found = self.calls("^agent.LateJobs$")
            self.test.same(f"kept, wall+cpu+alloc, {turn}", seen_natives(expected, found), found)

    def hanging_disk(self, hang):
        """The disk hangs for 3 s while a session ends: the application does not, and nothing is
        lost."""
        test, hung = self.test, hang.with_suffix(".hung")
        self.begin("start", "--include", "agent.LateJobs", "--metrics", "wall", "--flush", 1)
        least = self.target.counts("phase", 400)
        hang.touch()
        began = time.monotonic()
        stopping = subprocess.Popen([test.program, "stop", str(self.target.pid)], text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        test.expect(wait_for(hung.exists, 10), "hanging disk: it was not met")
        self.tell("phase", 100)  # whether or not it is recorded
        time.sleep(3)
        test.expect(stopping.poll() is None, "hanging disk: stop did not wait")
        print(f"the disk hung for {(time.monotonic() - began) * 1000:.0f} ms")
        hang.unlink()
        said = stopping.communicate(timeout=120)[0]
        test.expect(stopping.returncode == 0, f"hanging disk: {said}")
        test.whole("hanging disk", self.profile)
        test.sound("hanging disk", self.profile)
        found = self.calls("^agent.LateJobs$")
        for method, calls in seen_natives(least, found).items():
            test.expect(calls <= found.get(method, 0) <= calls * 1.25,
                        f"hanging disk: {method}: {found.get(method)} calls instead of {calls}")
        hung.unlink()
        self.begin("start", "--include", "agent.LateJobs.job+agent.LateJobs.leaf", "--metrics",
                   "wall")
        self.phase("after a hanging disk", 50,
                   {"agent.LateJobs.job": 250, "agent.LateJobs.leaf": 500})


def seen_natives(expected, found):
    """What is expected, without the native methods that are not seen at all."""
    return {name: calls for name, calls in expected.items()
            if name in found or name not in ("agent.LateJobs.add", "agent.LateJobs.back")}


def no_own_thread(test, what, profile):
    for row in test.views(profile).rows("threads"):
        test.expect("jprof" not in row["thread"], f"{what}: a thread of jprof's is in the profile")


def early(test, java):
    """The JVM goes on for a while when it is told something, or ends at once."""
    for calls in 1000000, 10:
        done = run(sys.executable, "-B", pathlib.Path(__file__).with_name("early.py"), 5, test.work,
                   java, f"-agentpath:{test.agent}=file={test.work}/early-%p-1.jprof", "-cp",
                   test.classes, "agent.Workload", "count", calls)
        print(done.out, end="")
        test.expect(done.status == 0, f"early commands: {done}")
    for profile in test.work.glob("early-*.jprof"):
        test.whole("early commands", profile)
        no_own_thread(test, "early commands", profile)
        profile.unlink()


def with_shim(test, java):
    """A worse system before the C library."""
    shim, refused, hang = (test.work / name for name in ("shim.so", "refused", "hang"))
    if not shutil.which("cc"):
        print("not run: natives that are kept, a disk that hangs (there is no cc)")
        return
    done = run("cc", "-shared", "-fPIC", "-O1", "-o", shim,
               test.source / "java-tests/native/shim.c", "-ldl")
    test.expect(done.status == 0, str(done))
    late = Late(test, java, "env", f"LD_PRELOAD={shim}", f"SHIM_REFUSE={refused}",
                f"SHIM_HANG={hang}",
                known_errors="^jprof: [0-9]+ native methods that do I/O were in use")
    late.natives_kept(refused)
    late.hanging_disk(hang)
    late.target.end()
    refused.unlink(missing_ok=True)


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "Late")
        late = Late(test, java)
        late.own_thread()
        late.native_threads()
        late.archive()
        late.accepts()
        late.shapes()
        late.target.end()
        early(test, java)
    with_shim(test, test.javas[-1])
    test.finish()


main()
