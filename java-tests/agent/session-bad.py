#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""What goes wrong about a running JVM is said in one line, and the JVM runs on, with the same calls
recorded as ever: two that attach at once, paths with blanks, folders in which no profile can be
written or that are full, a JVM killed in a session, what it left behind, garbage on the control
socket, a stranger at it."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Target, Test, forget, run  # noqa: E402

STRANGER = 65534
CONTROL = pathlib.Path(__file__).with_name("control.py")


@contextlib.contextmanager
def mounted(folder, *options):
    """A file system of memory; False: it may not be mounted."""
    folder.mkdir(exist_ok=True)
    done = run("mount", "-t", "tmpfs", *options, "none", folder)
    try:
        yield done.status == 0
    finally:
        if done.status == 0:
            run("umount", "-l", folder)


def fill(folder):
    """Takes what room is left; the file that has it."""
    filler = folder / "filler"
    with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    return filler


class Bad:
    """A JVM to which something is done."""

    def __init__(self, test, java):
        self.test, self.java = test, java
        self.target = Target(test, java, "-Xcheck:jni", "-XX:+EnableDynamicAgentLoading", "-cp",
                             test.work, "Phases", test.work / "written")
        self.phase(500)

    @property
    def pid(self):
        return self.target.pid

    def phase(self, count):
        """The calls of a phase."""
        lines = [line.rsplit(" ", 1) for line in self.target.tell("phase", count)
                 if line.startswith("Jobs.")]
        return {name: int(number) for name, number in lines}

    def same(self, what, expected, profile):
        self.test.same(what, expected, self.test.calls(profile, "^Jobs$"))

    def exact(self, what, program=None):
        """A session by this jprof is as good as ever."""
        profile = self.test.new_profile()
        done = run(program or self.test.program, "attach", self.pid, "--include", "Jobs", "--file",
                   profile)
        self.test.expect(done.status == 0, f"{what}: {done}")
        expected = self.phase(100)
        self.test.jprof("stop", self.pid)
        self.same(what, expected, profile)

    def attach_twice(self, end):
        """Both come at once, to a JVM with and one without the agent: both record. If both load the agent,
        the JVM calls it twice, and it says so."""
        test = self.test
        both = [(test.new_profile(), subprocess.PIPE) for _ in range(2)]
        both = [(profile, subprocess.Popen([test.program, "attach", str(self.pid), "--include",
                                            "Jobs", "--file", profile], text=True, stderr=pipe))
                for profile, pipe in both]
        said = [process.communicate(timeout=120)[1] for profile, process in both]
        for text, (_, process) in zip(said, both):
            test.expect(process.returncode == 0 and len(text.splitlines()) == 1, f"two at once: {text}")
        test.expect("beside s" in "".join(said), f"two at once: nobody says with whom: {said}")
        expected = self.phase(100)
        test.jprof(end, self.pid, "--all")
        for profile, _ in both:
            self.same("two at once", expected, profile)

    def with_blanks(self):
        for name in "a b, c", "a  b":
            folder = self.test.work / name
            folder.mkdir(exist_ok=True)
            for file in self.test.program, self.test.agent:
                shutil.copy(file, folder)
            self.exact(f"the path '{name}'", folder / "jprof")
            self.test.jprof("detach", self.pid)

    def bad_folders(self):
        """What cannot be written to is refused at once, and the agent waits for a better start."""
        test, nowhere = self.test, self.test.work / "none/p.jprof"
        test.refused("none/p.jprof.*No such file", "attach", self.pid, "--file", nowhere)
        test.refused("no control socket|not in|jprof attach", "status", self.pid)
        test.jprof("attach", self.pid, "--start", "no")
        test.refused("none/p.jprof.*No such file", "start", self.pid, "--file", nowhere)
        (test.work / "folder.jprof").mkdir(exist_ok=True)
        test.refused("folder.jprof", "start", self.pid, "--file", test.work / "folder.jprof")
        test.refused("proc", "start", self.pid, "--file", "/proc/self/p.jprof")
        test.jprof("status", self.pid)
        self.exact("after bad folders")

    def full_disk(self):
        """The disk gets full in a session: a snapshot fails and says so, and so does the status;
        with room again all is written, and nothing is missing."""
        test, tiny = self.test, self.test.work / "tiny"
        profile = tiny / "p.jprof"
        with mounted(tiny, "-o", "size=4m") as may:
            if not may:
                print("not run: a full disk (no right to mount)")
                return
            test.jprof("start", self.pid, "--file", profile, "--include", "Jobs", "--flush", 1)
            filler = fill(tiny)
            expected = self.phase(100)
            test.refused("full|space", "snapshot", self.pid, "full")
            status = test.jprof("status", self.pid).out.lower()
            test.expect("full" in status or "space" in status,
                        f"full disk: nothing of it in: {status}")
            filler.unlink()
            test.jprof("snapshot", self.pid, "room")
            test.jprof("stop", self.pid)
            self.same("full disk", expected, profile)
            test.sound("full disk", profile)
        self.target.known_errors += ("|^jprof: cannot write '.*tiny/p.jprof': "
                                     "(No space left on device|database or disk is full)")
        self.exact("after a full disk")
        with mounted(tiny, "-o", "size=8k"):  # no room from the start
            fill(tiny)
            test.refused("full|space", "start", self.pid, "--file", profile)
        with mounted(tiny):
            run("mount", "-o", "remount,ro", tiny)
            test.refused("tiny/p.jprof.*([Rr]ead-only|readonly)", "start", self.pid, "--file",
                         profile)

    def garbage(self):
        test = self.test
        done = run(sys.executable, "-B", CONTROL, self.pid, "garbage")
        test.expect(done.status == 0, f"garbage: {done}")
        if os.getuid() != 0:
            print("not run: another user at the socket")
            return
        for command in "status", "attach":
            test.refused("permitted|denied|belongs|another user", command, self.pid, user=STRANGER,
                         group=STRANGER, extra_groups=[])
        self.exact("after garbage")

    def killed(self):
        """Killed in a session; what it left is no harm, not even to a process of the same number."""
        test, profile = self.test, self.test.new_profile()
        test.jprof("attach", self.pid, "--include", "Jobs", "--file", profile, "--flush", 1)
        expected = self.phase(100)
        test.jprof("snapshot", self.pid)
        left = pathlib.Path(f"/tmp/.jprof-{self.pid}")
        test.expect((left / "control").is_socket(), f"no socket in '{left}'")
        self.target.process.kill()
        self.target.process.wait()
        self.same("killed", expected, profile)
        test.sound("killed", profile)
        after = Bad(test, self.java)
        after.finds(left)
        forget(self.pid)

    def finds(self, left):
        """The JVM finds its own folder there already: made by one that was killed; made by another
        user, with a socket that is not the agent's."""
        test, folder = self.test, pathlib.Path(f"/tmp/.jprof-{self.pid}")
        left.rename(folder)
        self.exact("a folder of before")
        test.jprof("detach", self.pid)
        test.expect(not folder.exists(), "the folder is there after detach")
        if os.getuid() == 0:
            folder.mkdir(mode=0o700)
            os.chown(folder, STRANGER, -1)
            self.exact("a stranger's folder")
            test.jprof("detach", self.pid)
            shutil.rmtree(folder)
        self.target.end()


def no_jvm(test):
    """A process that is none, that is no JVM."""
    test.refused("process", "attach", 4194303)
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        test.refused("JVM|Java", "attach", sleeper.pid)
        sleeper.kill()
    test.refused("JVM|Java", "attach", os.getpid())


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "Phases")
        bad = Bad(test, java)
        bad.target.known_errors = "^jprof: the agent is loaded already"
        for end in "detach", "stop", "detach":
            bad.attach_twice(end)
        bad.with_blanks()
        bad.bad_folders()
        bad.full_disk()
        bad.garbage()
        test.jprof("detach", bad.pid)
        bad.target.end()
        Bad(test, java).killed()
    no_jvm(test)
    test.finish()


main()
