#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Many sessions at once, each with filters, threads, scope, parameters, metrics, traces and a way of seeing calls by chance, in a program
that works without end, on threads that end by thousands. Some begin and end while the program rests: what they have is what the program
did in their time and by their filter, to the unit. Others are begun and ended by 20 clients in the midst of it: theirs is between
what had been done, and what had been begun. Now and then a client is killed.

    SESSIONS_SECONDS=600 SESSIONS_SEED=1 sessions-random.py ...     for so long on each JDK; the seed is printed
    SESSIONS_CHECK_JNI=no ...                                       without -Xcheck:jni, which the first JDK has"""
import collections
import concurrent.futures
import os
import pathlib
import queue
import random
import signal
import subprocess
import sys
import threading
import time

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
import control  # noqa: E402
import ledger  # noqa: E402
from harness import Test, wait_for  # noqa: E402
from ledger import Program, Seen, Wanted, difference  # noqa: E402

SECONDS = 22
MOST, CLIENTS, OF_CLIENTS, OF_RESTS = 8, 20, 4, 4
SUMMED = 8  # of so many profiles of rests one is added up in all views
BACKLOG = 12
PATIENCE = 200
INCLUDE = ("Alpha", "Beta", "Gamma", "Delta", "Entry", "Body", "Alpha.fib", "Gamma.d*", "*a.pass", "Delta.*e", "Beta.allocate",
           "G*", "*.leaf", "Alpha.mix", "Delta.nap")
EXCLUDE = ("*.leaf", "Alpha.fib", "Gamma.dive", "Delta.w*", "Alpha.*", "Beta.pass", "Body")
THREADS = "old-*", "pool-*", "brief-*", "virtual-*"
TRACES = "exceptions", "gc", "threads", "classes", "jit", "locks"
METRICS = "wall", "cpu", "alloc"
LATE = "writing the profile takes longer than"  # on a machine that is busy with others; it may begin yet
# What may be refused, with what it says: another command is under way, and what the first one has begun without.
LEGAL = {"busy": "", "value": "cannot begin while", "io": LATE}


def at_once(work, clients, *arguments):
    """By a client for each: requests of several take turns."""
    with concurrent.futures.ThreadPoolExecutor(len(clients)) as threads:
        return list(threads.map(work, clients[:len(arguments[0])], *arguments))


def some(chance, of, most):
    return tuple(chance.sample(of, chance.randint(1, most)))


def wish(chance):
    """What a session may want."""
    scope = chance.random()
    inside, user = scope < 0.2, chance.choice(("alice", "bob", "-")) if 0.2 <= scope < 0.4 else None
    user = None if user == "-" else user
    calls = "instrument" if inside or user else chance.choice(("instrument", "instrument", "instrument", "count", "auto", "sample"))
    options = {"calls": calls, "metrics": list(some(chance, METRICS, 3))}
    if chance.random() < 0.5:
        options["traces"] = list(some(chance, TRACES, 3))
    if chance.random() < 0.2:
        options["tags"] = [f"what:{ledger.SCOPE}(1)"] if calls != "sample" else []
    return Wanted(include=some(chance, INCLUDE, 5) if chance.random() < 0.8 else (),
                  exclude=some(chance, EXCLUDE, 2) if chance.random() < 0.4 else (),
                  threads=some(chance, THREADS, 2) if chance.random() < 0.3 else (),
                  inside=inside, user=user, served=calls != "sample" and (chance.random() < 0.3 or bool(options.get("tags"))),
                  options=options)


class Session:
    """One that records, or did. What the program had done and begun as it was asked to begin, and had begun, to end, and had ended."""

    def __init__(self, name, file, wanted, at_rest):
        self.name, self.file, self.wanted, self.at_rest = name, file, wanted, at_rest
        self.asked = self.began = self.ending = self.ended = None

    def __repr__(self):
        return f"{self.name}{', at rest' if self.at_rest else ''}, {self.wanted}"


class Random:
    """A JVM, and the time that it has."""

    def __init__(self, test, java, seconds, seed, *words):
        self.test, self.seed = test, seed
        self.program = Program(test, java, *words)
        self.program.phase(5)
        test.jprof("attach", self.program.pid, "--start", "no")
        self.end = time.monotonic() + seconds
        self.room = threading.Semaphore(OF_CLIENTS)
        self.lock = threading.Lock()
        self.living, self.numbers = set(), collections.Counter()
        self.done = queue.Queue()

    # --- sessions come and go ---

    def count(self, what, number=1):
        with self.lock:
            self.numbers[what] += number

    def fail(self, text):
        with self.lock:
            self.test.fail(f"seed {self.seed}: {text}")

    def connect(self):
        """Where many ask, and others use the machine, an answer takes time."""
        client = control.Client(self.program.pid)
        client.socket.settimeout(PATIENCE)
        return client

    def ask(self, client, verb, **members):
        began = time.monotonic()
        answer = client.ask(verb, **members)
        with self.lock:
            key = f"longest {verb}, ms"
            self.numbers[key] = max(self.numbers[key], round(1000 * (time.monotonic() - began)))
        return answer

    def refused(self, answer, session):
        error = answer["error"]
        self.count(f"refused: {error['code']}")
        if error["code"] not in LEGAL or LEGAL[error["code"]] not in error["message"]:
            self.fail(f"{session}: {error}")

    def options_of(self, session):
        return {"file": str(session.file)} | session.wanted.as_options()

    def begin(self, client, name, wanted, at_rest, **members):
        """None: there is no room."""
        session = Session(name, self.test.work / f"{name}.jprof", wanted, at_rest)
        session.asked = self.program.book()
        answer = self.ask(client, "start", name=name, options=self.options_of(session), **members)
        session.began = self.program.book()
        if not answer["ok"]:
            self.refused(answer, session)
            if LATE in answer["error"]["message"]:
                self.ask(client, "stop", name=name)
            return None
        self.begun(session)
        return session

    def begun(self, session):
        with self.lock:
            self.living.add(session.name)
            self.numbers["starts"] += 1
            self.numbers["most at once"] = max(self.numbers["most at once"], len(self.living))

    def finish(self, client, session):
        """False: not now."""
        with self.lock:
            self.living.discard(session.name)
        session.ending = self.program.book()
        answer = self.ask(client, "stop", name=session.name)
        session.ended = self.program.book()
        if not answer["ok"]:
            self.refused(answer, session)
            with self.lock:
                self.living.add(session.name)
            return False
        self.gone(session)
        return True

    def gone(self, session):
        with self.lock:
            self.living.discard(session.name)
            self.numbers["stops"] += 1
        self.done.put(session)

    # --- in the midst of work ---

    def client(self, number):
        chance = random.Random(self.seed * 100 + number)
        client, turn = self.connect(), 0
        while time.monotonic() < self.end:
            turn += 1
            pushes = chance.random() < 0.1
            if pushes or self.room.acquire(timeout=1):
                session = self.begin(client, f"c{number}.{turn}", wish(chance), False)
                if session:
                    self.live(client, chance, session)
                if not pushes:
                    self.room.release()
            time.sleep(chance.random())
        client.close()

    def live(self, client, chance, session):
        time.sleep(chance.choice((0, 0.05, 1, 3)) * chance.random())
        if chance.random() < 0.2:
            self.count("snapshots", self.ask(client, "snapshot", name=session.name, label="now")["ok"])
        if chance.random() < 0.1:
            before = self.program.book()
            if self.ask(client, "reset", name=session.name)["ok"]:
                session.asked, session.began = before, self.program.book()
                self.count("resets")
        while not self.finish(client, session):
            time.sleep(0.05)

    def guarded(self, number):
        try:
            self.client(number)
        except Exception as error:  # a test that goes on without a client is no test
            self.fail(f"client {number}: {error!r}")

    def kill_one(self, chance, number):
        """A client whose session is to last as long as it does."""
        session = Session(f"k{number}", self.test.work / f"k{number}.jprof", wish(chance), False)
        session.asked = self.program.book()
        members = {"name": session.name, "while_connected": True, "options": self.options_of(session)}
        process = subprocess.Popen([sys.executable, "-B", FOLDER / "control.py", str(self.program.pid), "hold", "start",
                                    *(f"{key}={control.json.dumps(value)}" for key, value in members.items())],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        holds = process.stdout.readline()
        session.began = self.program.book()
        if holds:
            self.begun(session)
            time.sleep(chance.random())
        session.ending = self.program.book()
        process.kill()
        process.wait()
        if not holds:
            return
        client = self.connect()
        if not wait_for(lambda: session.name not in self.names(client), PATIENCE):
            self.fail(f"{session} goes on without its client")
        client.close()
        session.ended = self.program.book()
        self.count("killed clients")
        self.gone(session)

    def names(self, client):
        return [row["name"] for row in client.must("status")["sessions"]]

    # --- at rest ---

    def conduct(self):
        """Rests and goes, until the time is over; which sessions have ended is looked at meanwhile."""
        chance = random.Random(self.seed)
        own, turn, killed = [], 0, 0
        clients = [self.connect() for _ in range(OF_RESTS)]
        next_kill = time.monotonic() + 3
        while time.monotonic() < self.end or own:
            turn += 1
            self.program.tell("rest")
            over = time.monotonic() >= self.end
            ends = [session for session in own if over or chance.random() < 0.5]
            gone = dict(zip(ends, at_once(self.finish, clients, ends)))
            own = [session for session in own if not gone.get(session)]
            if own and chance.random() < 0.2 and self.ask(clients[0], "reset", name=own[0].name)["ok"]:
                own[0].asked = own[0].began = self.program.book()
                self.count("resets")
            fresh = [] if over else [f"r{turn}.{number}" for number in range(len(own), OF_RESTS) if chance.random() < 0.8]
            wishes = [wish(chance) for _ in fresh]
            own += filter(None, at_once(self.begin, clients, fresh, wishes, [True] * len(fresh)))
            self.program.tell("go")
            time.sleep(chance.random())
            if time.monotonic() > next_kill and not over:
                before, killed = self.numbers["killed clients"], killed + 1
                self.kill_one(chance, killed)
                # One that could not begin a session is made up for by the next.
                if self.numbers["killed clients"] > before:
                    next_kill = time.monotonic() + 8
            self.look_at_some()
        for client in clients:
            client.close()

    def run(self):
        self.program.tell("go")
        threads = [threading.Thread(target=self.guarded, args=(number,)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        self.conduct()
        for thread in threads:
            thread.join()
        if not self.numbers["killed clients"]:  # the others left no room for one
            self.kill_one(random.Random(self.seed), "last")
        self.look_at_some(0)
        client = self.connect()
        self.test.same("sessions at the end", [], self.names(client))
        client.close()
        self.test.jprof("detach", self.program.pid)
        self.program.tell("rest")
        units = sum(self.program.at_rest().values())
        self.program.target.end()
        self.test.expect(self.numbers["most at once"] >= 4, f"never more than {self.numbers['most at once']} sessions at once")
        for what in "at rest", "in between", "killed clients":
            self.test.expect(self.numbers[what] > 0, f"seed {self.seed}: none {what}")
        print(f"seed {self.seed}: {units} units;", ", ".join(f"{what}: {number}" for what, number in sorted(self.numbers.items())),
              flush=True)

    # --- what they have ---

    def look_at_some(self, backlog=BACKLOG):
        while self.done.qsize() > backlog:
            session = self.done.get()
            failures = self.test.failures
            self.check(session)
            if self.test.failures == failures:
                session.file.unlink()

    def bounds(self, session):
        """What it has at least, and at most."""
        program, wanted = self.program, session.wanted
        (_, asked), (began, _) = session.asked, session.began
        (_, ending), (ended, _) = session.ending, session.ended
        return program.figures(difference(ending, began), wanted), program.figures(difference(ended, asked), wanted)

    def compare(self, session, what, bounds, keys, found):
        """Each number."""
        least, most = (ledger.of(figures, *keys) for figures in bounds)
        for key in most.keys() | found.keys():
            self.count("checks")
            low, number, high = least.get(key, 0), found.get(key, 0), most.get(key, 0)
            if not low <= number <= high:
                self.fail(f"{session}: {what} {key}: {number}, not {low} to {high}")

    def check(self, session):
        wanted, bounds = session.wanted, self.bounds(session)
        seen, calls = Seen(self.test, self.program, session.file), wanted.options["calls"]
        self.count("at rest" if session.at_rest else "in between")
        if session.at_rest and bounds[0] != bounds[1]:
            self.fail(f"{session}: the program did not rest")
        if calls != "sample":
            self.compare(session, "calls of", bounds, ledger.calls_of(bounds[1]), seen.calls())
        self.compare(session, "I/O:", bounds, ("writes", "written", "reads", "read"), seen.io())
        if calls == "instrument" and "alloc" in wanted.options["metrics"] and wanted.method("Beta.allocate"):
            row = seen.methods().get("Beta.allocate")
            self.compare(session, "allocated", bounds, ("bytes",), {"bytes": row["base"]["alloc"]} if row else {})
        if wanted.served:
            self.compare(session, "calls of Entry.serve", bounds, [f"for {user}" for user in ("-", "alice", "bob")], seen.served())
        self.check_rows(session, seen)
        if session.at_rest and self.numbers["at rest"] % SUMMED == 0:
            self.test.sound(f"seed {self.seed}: {session}", session.file)

    def check_rows(self, session, seen):
        """Nothing is lost; threads and metrics are those that were asked for."""
        wanted = session.wanted
        fact = {row["key"]: row["value"] for row in seen.rows("summary")}
        for key, value in {"complete": "yes", "lost": "0"}.items():
            if str(fact.get(key)) != value:
                self.fail(f"{session}: {key}={fact.get(key)}")
        rows = seen.rows("threads")
        for row in rows:
            if set(row["total"]) != set(wanted.options["metrics"]):
                self.fail(f"{session}: metrics {list(row['total'])}")
                break
        kinds = tuple(pattern[:-1] for pattern in wanted.threads)
        if kinds and not all(row["thread"].startswith(kinds) for row in rows):
            self.fail(f"{session}: threads {[row['thread'] for row in rows]}")


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    test = Test()
    seconds = int(os.environ.get("SESSIONS_SECONDS", SECONDS))
    seed = int(os.environ.get("SESSIONS_SEED", random.randrange(1000000)))
    for number, java in enumerate(test.javas):
        test.javac(java, "Ledger")
        print(f"{java}: {seconds} s, seed {seed}", flush=True)
        checks = number == 0 and os.environ.get("SESSIONS_CHECK_JNI") != "no"
        Random(test, java, seconds, seed, *(("-Xcheck:jni",) if checks else ())).run()
    for line in control.failures:
        test.fail(line)
    test.finish()


main()
