#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Where perf events are forbidden timers take the samples of processor time: as many as there were periods,
within 3 %, of methods and states their shares, within three standard errors; and the summary says so. Samples of
any other event are refused by name, with the reason: a JVM does not start, one that runs goes on without."""
import functools
import math
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import SKIPPED, Target, Test, run  # noqa: E402

MILLISECONDS = 1500
CONDITION, PERIOD = "cpu:1ms", 1e6
# What the program does: its method, and in which state.
WORKS = {"compiled": ("compiled", "c2"), "native": ("inNative", "native"),
         "kernel": ("kernel", "kernel")}
EVENT = "page-faults:1000" # which any machine has


def without_perf(test):
    return sys.executable, "-B", test.source / "java-tests/agent/without-perf.py"


def agent(test, condition, profile):
    return f"-agentpath:{test.agent}=calls=sample,sample={condition},io=off,file={profile}"


def record(test, java):
    """What the program says that it used, in ns, by what it did."""
    profile = test.new_profile()
    done = run(*without_perf(test), java, agent(test, CONDITION, profile),
               "-XX:-TieredCompilation", "-cp", test.work, "SampleStates", MILLISECONDS, *WORKS)
    if done.status != 0 or done.err:
        test.fail(str(done))
        test.finish()
    return {name: int(used) for name, used in map(str.split, done.out.splitlines())}, profile


def stacks(profile):
    """Of the thread main. With timers one stands for several periods."""
    with sqlite3.connect(profile) as database:
        return database.execute("SELECT sum(count), sum(amount) FROM samples WHERE thread = 'main'"
                                ).fetchone()


def differences(test, used, profile):
    """Lines."""
    seen = test.views(profile)
    count, amount = stacks(profile)
    periods = used["all"] / PERIOD
    print(f"  {periods:.0f} periods, {amount} samples, {count} stacks")
    if abs(amount - periods) > 0.03 * periods:
        yield f"{amount} samples of {periods:.0f} periods"
    methods = {row["method"]: row["samples_cum"]["cpu"] for row in seen.rows("methods")
               if row["class"] == "SampleStates"}
    states = {state: sum(row["samples"].get(state, 0) for row in seen.rows("states"))
              for _, state in WORKS.values()}
    for what, found in (("methods", [methods.get(method, 0) for method, _ in WORKS.values()]),
                        ("states", [states[state] for _, state in WORKS.values()])):
        print(f"  {what}: {dict(zip(WORKS, found))}")
        for work, number in zip(WORKS, found):
            share, by_samples = used[work] / sum(map(used.get, WORKS)), number / sum(found)
            error = math.sqrt(share * (1 - share) / count)
            if abs(by_samples - share) > 3 * error:
                yield (f"{what}: {work}: {100 * share:.1f} % of the time, {100 * by_samples:.1f} % of "
                       f"the samples, {(by_samples - share) / error:+.1f} standard errors")


def said(test, profile):
    """The summary says how it was done."""
    how = {row["key"]: str(row["value"]) for row in test.views(profile).rows("summary")
           if CONDITION in row["key"]}
    test.expect(any("timers" in value and "forbidden" in value for value in how.values()),
                f"the summary does not say that there are timers: {how}")


def refused_at_start(test, java):
    profile = test.new_profile()
    program = ("-cp", test.work, "SampleStates", 1, "compiled")
    done = run(java, agent(test, EVENT, profile), *program)
    test.expect(done.status == 0 and profile.exists(), f"where perf events are allowed: {done}")
    profile = test.new_profile()
    done = run(*without_perf(test), java, agent(test, EVENT, profile), *program)
    test.expect(done.status != 0, f"the JVM started: {done}")
    test.expect("compiled" not in done.out, f"the program ran: {done}")
    test.expect(not profile.exists(), "there is a profile")
    print(f"  {done.err.splitlines()[:1]}")
    test.has_line("what it says", done.err, "jprof:", f"'{EVENT}'", "is forbidden here")


def refused_attach(test, java):
    target = Target(test, *without_perf(test), java, "-XX:+EnableDynamicAgentLoading", "-cp",
                    test.work, "Entered")
    target.tell("run", 1)
    profile = test.new_profile()
    done = test.jprof("attach", target.pid, "--calls", "sample", "--sample", EVENT, "--file",
                      profile, status=1)
    print(f"  {done.err.splitlines()}")
    test.has_line("what it says", done.err, "jprof:", f"'{EVENT}'", "is forbidden here")
    test.expect(not profile.exists(), "there is a profile")
    # Processor time by timers, in the same JVM.
    test.jprof("attach", target.pid, "--calls", "sample", "--file", profile)
    test.jprof("stop", target.pid)
    said(test, profile)
    target.end()


def main():
    test = Test()
    if run(*without_perf(test), "true").status == SKIPPED:
        print("not run: there are no filters of system calls here")
        sys.exit(SKIPPED)
    for java in test.javas:
        test.javac(java, "SampleStates", "Entered")
        _, profile = test.twice(java, functools.partial(record, test, java),
                                functools.partial(differences, test))
        said(test, profile)
        refused_at_start(test, java)
        refused_attach(test, java)
    test.finish()


main()
