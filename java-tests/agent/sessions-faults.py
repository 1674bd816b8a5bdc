#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Several sessions, and what goes wrong. kill -9 of the JVM at random moments: each file is sound, and not older than a flush
and a copy take. A full disk under the file of one of them, or a folder that vanishes, be it the file that the database is or a
copy of it: the others go on, their files have the program's own counts, and `status` says of which session the error is. However the JVM
ends, all files are complete. A child that is forked writes into none. A file that another session has is refused."""
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
import control  # noqa: E402
from harness import Target, Test, forget, wait_for  # noqa: E402

MOST, KILLS = 8, int(os.environ.get("JPROF_KILLS", "4"))
FLUSH = 1
# ns: a flush, and what a busy machine takes for it; and until all copies are made again, which take a small part of the time.
LATE, LATE_COPY = 2_500_000_000, 6_000_000_000
JOBS = 20
NAMES = ("holder", "second", "third")


def options(profile, **more):
    return {"file": str(profile), "include": ["Jobs"], "calls": "instrument", "flush": FLUSH, **more}


class Faults:
    def __init__(self, test, java):
        self.test, self.java = test, java
        self.target = self.client = None

    # --- a program, and its sessions ---

    def begin(self, *words):
        test = self.test
        self.target = Target(test, self.java, "-Xcheck:jni", "-XX:+EnableDynamicAgentLoading", *words, "-cp", test.work, "Phases",
                             test.work / "written", known_errors="^jprof: |^WARNING|^$")
        self.pid = self.target.pid
        self.target.tell("phase", 100)
        if not words:
            test.jprof("attach", self.pid, "--start", "no")
        self.client = control.Client(self.pid)

    def phase(self):
        lines = [line.rsplit(" ", 1) for line in self.target.tell("phase", JOBS) if line.startswith("Jobs.")]
        return {name: int(number) for name, number in lines}

    def three(self, place, bad):
        """Sessions, of which that one's file is in the place; their files."""
        files = {name: (place / "p.jprof" if name == bad else self.test.new_profile()) for name in NAMES}
        for name, file in files.items():
            self.client.must("start", name=name, options=options(file))
        return files

    def errors(self):
        return {row["name"]: row["error"] for row in self.client.must("status")["sessions"]}

    def has(self, what, file, calls):
        self.test.whole(what, file)
        self.test.same(what, calls, self.test.calls(file, "^Jobs$"))

    def end(self):
        self.client.close()
        self.test.jprof("detach", self.pid)
        self.target.end()

    # --- one file that cannot be written ---

    def bad_file(self, what, place, bad, spoil, order):
        """One of three files cannot be written from some moment on."""
        test = self.test
        what = f"{what}, {bad}, ended {order}"
        files = self.three(place, bad)
        first = self.phase()
        self.client.must("flush")
        spoil(place)
        second = self.phase()
        calls = {name: first[name] + second[name] for name in first}
        told = wait_for(lambda: (lambda errors: errors if errors.get(bad) else None)(self.errors()), 20) or {}
        test.expect(str(place) in (told.get(bad) or ""), f"{what}: status says {told}")
        test.same(f"{what}: others' errors", [], [f"{name}: {error}" for name, error in told.items() if error and name != bad])
        for name in order:
            answer = self.client.ask("stop", name=name)
            test.expect(answer["ok"] == (name != bad), f"{what}: stop of {name}: {answer}")
        for name in NAMES:
            if name != bad:
                self.has(f"{what}: {name}", files[name], calls)
        test.same(f"{what}: afterwards", ["armed"], [self.client.must("status")["state"]])

    def full_disk(self):
        test, disk = self.test, self.test.work / "disk"
        disk.mkdir()
        if os.getuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], check=False).returncode:
            print("a full disk: not run: only root can make a small one")
            return

        def fill(place):
            with open(place / "filler", "wb", buffering=0) as filler:
                try:
                    while filler.write(b"\0" * 4096):
                        pass
                except OSError:
                    pass

        try:
            for bad, order in (("holder", NAMES), ("second", NAMES), ("holder", NAMES[::-1])):
                self.bad_file("a full disk", disk, bad, fill, order)
                for file in disk.iterdir():
                    file.unlink()
        finally:
            subprocess.run(["umount", disk], check=False)

    def vanished(self):
        for number, (bad, order) in enumerate((("holder", NAMES), ("third", NAMES), ("holder", NAMES[::-1]))):
            place = self.test.work / f"folder-{number}"
            place.mkdir()
            self.bad_file("a folder that vanishes", place, bad, shutil.rmtree, order)

    def recovers(self):
        """A copy that could not be made is made when it can be again."""
        test, place = self.test, self.test.work / "closed"
        place.mkdir()
        files = self.three(place, "second")
        made = self.phase()
        place.rename(self.test.work / "elsewhere")
        self.client.must("flush")
        test.expect(self.errors()["second"], "a file without its folder is no error")
        (self.test.work / "elsewhere").rename(place)
        self.client.must("flush")
        test.same("errors when the folder is there again", [None] * 3, list(self.errors().values()))
        self.client.must("stop", all=True)
        for name, file in files.items():
            self.has(f"again: {name}", file, made)

    def same_file(self):
        """A file that another session writes, the holder's or a copy."""
        files = self.three(self.test.work, "none")
        made = self.phase()
        for file in files.values():
            for path in file, file.parent / "." / file.name:
                answer = self.client.ask("start", name="again", options=options(path))
                self.test.expect(not answer["ok"] and str(file.name) in answer["error"]["message"], f"the same file: {answer}")
        self.test.same("sessions", list(NAMES), list(self.errors()))
        self.client.must("stop", all=True)
        for name, file in files.items():
            self.has(f"same file: {name}", file, made)

    def detached(self):
        files = self.three(self.test.work, "none")
        made = self.phase()
        self.client.must("detach", all=True)
        for name, file in files.items():
            self.has(f"detached: {name}", file, made)
        self.client.close()
        self.target.end()

    # --- the end of the JVM ---

    def ends(self, how):
        """The program ends with sessions that record."""
        test = self.test
        self.begin(f"-agentpath:{test.agent}=start=no,file={test.new_profile()}")
        files = self.three(test.work, "none")
        made = self.phase()
        self.client.close()
        if how == "exit":
            self.target.end()
        else:
            os.kill(self.pid, signal.SIGTERM)
            status = self.target.process.wait(timeout=60)
            test.expect(status in (143, -15), f"SIGTERM: {status}")
        for name, file in files.items():
            self.has(f"{how}: {name}", file, made)

    # --- kill -9 ---

    def killed(self, number):
        """The program notes its calls; those that are old enough are in each file."""
        test, folder = self.test, self.test.work / f"killed-{number}"
        folder.mkdir()
        log = folder / "log"
        child = subprocess.Popen([self.java, "-Xshare:auto", f"-agentpath:{test.agent}=start=no", "-cp", test.classes,
                                  "agent.Workload", "steps", "600000", log], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        chance, begun = random.Random(number * 7919 + os.getpid()), {}
        try:
            if not wait_for(lambda: log.exists() and log.stat().st_size):
                test.fail("the workload does not start")
                return
            client = control.Client(child.pid)
            for one in range(MOST):
                file = folder / f"{one}.jprof"
                begun[file] = self.noted(log)[-1]
                client.must("start", name=f"k{one}", options={"file": str(file), "include": ["agent.Workload"], "calls": "instrument",
                                                              "flush": FLUSH, "metrics": ["wall"]})
                begun[file] = max(begun[file], self.noted(log)[-1])
            time.sleep(7 + chance.random() * 4)
            for one in range(MOST):
                if chance.random() < 0.2:
                    client.send(b'{"jprof": 1, "verb": "stop", "name": "k%d"}\n' % one)
                    begun.pop(folder / f"{one}.jprof")
            time.sleep(chance.random() / 10)
        finally:
            child.kill()
            child.wait()
            forget(child.pid)
        notes = self.noted(log)
        for file, (_, before) in begun.items():
            with sqlite3.connect(file) as database:
                sound = database.execute("PRAGMA integrity_check").fetchone()[0]
            test.expect(sound == "ok", f"killed: {file.name}: {sound}")
            steps = sum(row["calls"] for row in test.views(file).rows("methods") if row["method"] == "step")
            limit = LATE if file.name == "0.jprof" else LATE_COPY
            late = max((calls for when, calls in notes if notes[-1][0] - when > limit), default=0)
            print(f"killed {number}: {file.name}: {steps} steps, {late - before} or more expected")
            test.expect(steps >= late - before, f"killed {number}: {file.name}: {steps} steps, {late - before} or more expected")

    @staticmethod
    def noted(log):
        notes = [line.split() for line in log.read_text().splitlines()]
        return [(int(note[0]), int(note[1])) for note in notes if len(note) == 2] or [(0, 0)]


def main():
    test = Test()
    test.javac(test.javas[-1], "Phases")
    faults = Faults(test, test.javas[-1])
    faults.begin()
    faults.same_file()
    faults.recovers()
    faults.vanished()
    faults.full_disk()
    faults.detached()
    for how in "exit", "SIGTERM":
        faults.ends(how)
    for number in range(KILLS):
        faults.killed(number)
    for line in control.failures:
        test.fail(line)
    test.finish()


main()
