#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""The traces that read the JVM's log are switched on and off a thousand times while a program makes garbage, its user's own
log beside: no descriptor, no thread, no output of the JVM's is left behind, the user's log has what it would have, the
profile has when each was on and nothing of in between; the program runs on."""
import os
import pathlib
import re
import sqlite3
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from harness import Test, run, wait_for  # noqa: E402
from control import Client  # noqa: E402

TIMES = 1000
SLACK = 1_000_000_000 # ns: to switch takes a while where there is much else to do
WAYS = {"plain": [], "asynchronous": ["-Xlog:async"]}


def held(pid):
    """What it has open, and its threads."""
    return len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task"))


def outputs(java, pid):
    """The JVM's own list of where it logs to."""
    done = run(pathlib.Path(java).parent / "jcmd", pid, "VM.log", "list")
    return [line.split()[1] for line in done.out.splitlines() if re.match(r" *#\d", line)]


def switch(test, pid):
    client = Client(pid)
    for i in range(TIMES):
        for member in "on", "off":
            answer = client.ask("trace", **{member: ["gc", "jit"]})
            if "error" in answer:
                test.fail(f"switched {member} the {i}th time: {answer}")
                return


def check_profile(test, what, profile):
    with sqlite3.connect(profile) as database:
        periods = database.execute(
            "SELECT trace, began, ended FROM trace_period WHERE ended IS NOT NULL").fetchall()
        for trace, table, time in (("gc", "collection", "began + ns"), ("gc", "safepoint", "began + ns"),
                                   ("jit", "deoptimization", "at")):
            times = [row[0] for row in database.execute(f"SELECT {time} FROM {table}")]
            on = [(began, ended) for name, began, ended in periods if name == trace]
            outside = [at for at in times
                       if not any(began - SLACK <= at <= ended + SLACK for began, ended in on)]
            test.expect(not outside, f"{what}: {len(outside)} rows of {table} while {trace} was off")
            test.expect(len(on) == TIMES + (2 if trace == "gc" else 1), f"{what}: {trace} was on {len(on)} times")
        collections = database.execute("SELECT count(*) FROM collection").fetchone()[0]
    test.expect(collections > 0, f"{what}: no collection at all")


def main():
    test = Test()
    test.javac(test.javas[0], "Garbage")
    for java in test.javas:
        for way, options in WAYS.items():
            what = f"{java}, {way}"
            print(what, flush=True)
            own = test.work / "own.log"
            for path in own, pathlib.Path(f"{own}.2"):
                path.unlink(missing_ok=True)
            with open(test.work / "said", "wb") as said:
                program = subprocess.Popen(
                    [java, "-Xmx192m", "-XX:+EnableDynamicAgentLoading", *options,
                     f"-Xlog:gc:file={own}:timenanos,tags:filecount=0", "-cp", test.work, "Garbage", "forever"],
                    stdout=said, stderr=said)
            try:
                wait_for(lambda: own.exists() and own.read_text().count("Pause") > 2)
                profile = test.new_profile()
                test.jprof("attach", program.pid, "--file", profile, "--calls", "sample")
                # What comes with the first switch stays: the list of the JVM's outputs, threads of its attach listener.
                test.jprof("trace", program.pid, "+gc", "+jit")
                test.jprof("trace", program.pid, "-gc", "-jit")
                listed = outputs(java, program.pid)
                before = held(program.pid)
                switch(test, program.pid)
                test.same(f"{what}: the JVM's outputs", listed, outputs(java, program.pid))
                # A compiler's thread comes and goes by itself.
                after = held(program.pid)
                test.expect(after[0] == before[0] and after[1] <= before[1] + 4,
                            f"{what}: descriptors and threads {before} before, {after} after")
                # Somebody else switches all of the JVM's log off: that is said, and harms nothing.
                test.jprof("trace", program.pid, "+gc")
                run(pathlib.Path(java).parent / "jcmd", program.pid, "VM.log", "disable")
                test.jprof("trace", program.pid, "-gc")
                run(pathlib.Path(java).parent / "jcmd", program.pid, "VM.log", f"output=file={own}.2",
                    "what=gc", "decorators=timenanos,tags", "output_options=filecount=0")
                test.jprof("detach", program.pid)
                test.expect(str(test.views(profile).fact.get("gc.silenced")) == "1", f"{what}: gc.silenced is not in the profile")
                own = pathlib.Path(f"{own}.2")
                wait_for(own.exists)
                written = own.stat().st_size
                test.expect(program.poll() is None, f"{what}: the program has ended")
                test.expect(wait_for(lambda: own.stat().st_size > written), f"{what}: its own log is silent")
            finally:
                program.kill()
                program.wait()
            said = (test.work / "said").read_text().splitlines()
            test.same(f"{what}: what it said", ["jprof: the trace gc may lack something: the JVM's log was switched off "
                                                "by somebody else"], said)
            check_profile(test, what, profile)
            # The last one may be cut: the program was killed.
            lines = own.read_text().splitlines()[:-1]
            wrong = [line for line in lines if not re.match(r"\[\d+ns\]\[gc *\] ", line)]
            test.same(f"{what}: lines of its own log", [], wrong[:3])
    test.finish()


main()
