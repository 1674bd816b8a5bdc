#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""The page of a recording with all traces on, some of them for a while, watched calls, and I/O with its processor time: its data says
what reports say, in every interval; in a browser, where there is one, each table shows that."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import SKIPPED, Target, Test, run, wait_for  # noqa: E402

# gc and classes are switched on later.
TRACES = "objects+locks+exceptions+jit+threads+events"
VIEWS = ("locks", "waits", "wait-pairs", "objects", "alive", "object-paths", "gc", "safepoints", "exceptions", "classes",
         "class-loaders", "jit", "thread-states", "distribution", "slowest", "files")
WORK = 300  # at least, between two commands


def let_work(target):
    before = target.counts("count")["work"]
    wait_for(lambda: target.counts("count")["work"] >= before + WORK)


def record(test, java):
    profile = test.new_profile()
    target = Target(test, java, f"-agentpath:{test.agent}=file={profile},traces={TRACES},calls=instrument,include=agent.*,"
                    "distribution=agent.Traced.once+agent.Traced.fail,io_cpu=yes,io_class_loading=yes,events_keep=1s,objects=8k,"
                    "calibration=off,log=error", "-Xmx64m", "-cp", test.classes, "agent.Traced",
                    known_errors="^OpenJDK 64-Bit Server VM warning")
    let_work(target)
    test.jprof("snapshot", target.pid, "first")
    test.jprof("trace", target.pid, "+gc", "+classes")
    done = run(pathlib.Path(java).parent / "jcmd", target.pid, "GC.run")
    test.expect(done.status == 0, str(done))
    let_work(target)
    test.jprof("snapshot", target.pid, "second")
    test.jprof("trace", target.pid, "-locks")
    let_work(target)
    test.jprof("stop", target.pid)
    target.end()
    for view in VIEWS:
        test.expect(test.views(profile).rows(view), f"{java}: no rows of {view}: there is nothing to compare")
    return profile


def main():
    test = Test()
    profiles = [record(test, java) for java in test.javas]
    figures = run(sys.executable, "-B", test.source / "native-tests/page/page_figures.py", test.build, *profiles)
    print(figures.out, flush=True)
    test.expect(figures.status == 0, figures.err[-3000:])
    # In a browser it takes a minute, and many where all else runs beside it.
    for part, of in (("figures", profiles), ("browser", profiles[-1:])):
        done = run(test.source / "page/tests/run.sh", part, test.build, *of, timeout=1500)
        print(done.out[-3000:], flush=True)
        test.expect(done.status in (0, SKIPPED), f"{part}: {done.err[-3000:]}")
    test.finish()


main()
