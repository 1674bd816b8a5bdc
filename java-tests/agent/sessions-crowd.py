#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Several sessions of several clients in one JVM: names, numbers and owners are told as they are, also in a table for
narrow and wide terminals; nobody ends another's session by mistake; a ninth is refused; a client that is killed ends its
session if it said so, and else does not; one that never reads harms nobody; a session that ends by itself ends alone;
20 clients start, ask and stop at random. Each session's profile has the calls of its own classes in its own time, as the
program knows them itself."""
import json
import os
import pathlib
import random
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
import control  # noqa: E402
from harness import Target, Test, run, wait_for  # noqa: E402

MOST = 8
CROWD, CROWD_SECONDS = 20, 8
OWNER = re.compile(r"(\w[\w.-]*) \((uid \d+[^)]*)\)")

# Begins a session that ends with the connection, or does not, and says so when it records.
HOLDER = """import sys, time
sys.path.insert(0, sys.argv[1])
import control
client = control.Client(int(sys.argv[2]))
answer = client.ask("start", name=sys.argv[3], by="holder", while_connected=sys.argv[4] == "yes",
                    options={"file": sys.argv[5], "include": ["Jobs"]})
print(answer, flush=True)
time.sleep(600)
"""


class Sessions:
    """A JVM, and the sessions in it."""

    def __init__(self, test, java):
        self.test = test
        self.target = Target(test, java, "-Xcheck:jni", "-XX:+EnableDynamicAgentLoading", "-cp", test.work, "Phases",
                             test.work / "written")
        self.pid = self.target.pid
        self.phase(500)

    # --- helpers ---

    def phase(self, count):
        """The calls of a phase."""
        lines = [line.rsplit(" ", 1) for line in self.target.tell("phase", count) if line.startswith("Jobs.")]
        return {name: int(number) for name, number in lines}

    def status(self, *words):
        return json.loads(self.test.jprof("status", self.pid, "--format", "json", *words).out)

    def rows(self):
        return {row["name"]: row for row in self.status()["sessions"]}

    def names(self):
        return list(self.rows())

    def begin(self, verb, *words):
        """attach or start, with a profile of its own."""
        profile = self.test.new_profile()
        self.test.jprof(verb, self.pid, "--include", "Jobs", "--calls", "instrument", "--file", profile, *words)
        return profile

    def has(self, what, profile, expected):
        """The profile is whole, and has those calls of Jobs."""
        self.test.whole(what, profile)
        self.test.same(what, expected, self.test.calls(profile, "^Jobs$"))

    def labels(self, profile):
        with sqlite3.connect(profile) as database:
            return {label for label, in database.execute("SELECT label FROM snapshot")}

    def ended(self, name):
        return wait_for(lambda: name not in self.names(), 20)

    # --- the parts ---

    def described(self):
        """Names, numbers, owners and files, as JSON and as a table."""
        test = self.test
        files = {"one": self.begin("attach", "--name", "one")}
        files["s2"] = self.begin("start")
        files["third"] = self.begin("start", "--name", "third", "--metrics", "wall")
        rows = self.rows()
        test.same("names", list(files), list(rows))
        numbers = [row["number"] for row in rows.values()]
        test.same("numbers", sorted(set(numbers)), numbers)
        test.same("files", {name: str(file) for name, file in files.items()},
                  {name: row["file"] for name, row in rows.items()})
        for name, by in ("one", "jprof attach"), ("s2", "jprof start"), ("third", "jprof start"):
            owner = rows[name]["owner"]
            test.same(f"owner of {name}", [os.getuid(), by], [owner["uid"], owner["by"]])
            for part in f"uid {os.getuid()}", by, f"process {owner['pid']}":
                test.expect(part in owner["text"], f"owner of {name}: no '{part}' in '{owner['text']}'")
        test.same("metrics of third", ["wall"], rows["third"]["options"]["metrics"])
        self.table(files)
        one = self.status("--name", "third")
        test.same("the one that is meant", str(files["third"]), one["file"])
        return files

    def table(self, files):
        for width in 80, 160:
            out = self.test.jprof("status", self.pid, "--width", width).out
            table = out.split("\n\n")[0].splitlines()
            self.test.expect(max(map(len, table)) <= width, f"a table for {width} columns is wider: {table}")
            for name in files:
                self.test.expect(any(line.split()[:1] == [name] for line in table), f"no {name} in {table}")
            self.test.has_line(f"table of {width}", table[0] + "\n", "Name", "Owner", "For", "Calls")

    def refusals(self, files):
        """What would hit another's session by mistake, and names that cannot be had."""
        test = self.test
        test.refused("'one'", "start", self.pid, "--name", "one", "--file", test.new_profile())
        for name in "a b", "x" * 33, "a/b":
            test.refused("1 to 32 of", "start", self.pid, "--name", name, "--file", test.new_profile())
        for verb in "stop", "reset", "detach":
            line = test.jprof(verb, self.pid, status=1).err
            test.same(f"{verb} without a name", list(files), [found[0] for found in OWNER.findall(line)])
            test.expect(re.search("3 sessions record: ", line), f"{verb} without a name: {line}")
        for verb, words in ("stop", "; name one with --name, or stop --all"), ("reset", "; name one with --name"), \
                ("detach", "; stop them first, or detach all with --all"):
            line = test.jprof(verb, self.pid, status=1).err
            test.expect(line.endswith(words + "\n"), f"{verb} does not say what to do: {line}")
        test.refused("3 sessions record", "trace", self.pid, "+gc")
        test.refused("'nobody'", "stop", self.pid, "--name", "nobody")
        test.refused("'nobody'", "status", self.pid, "--name", "nobody")
        client = control.Client(self.pid)
        answer = client.ask("detach", if_idle=True)
        test.expect(not answer["ok"] and answer["error"]["code"] == "busy", f"detach if idle: {answer}")
        client.close()
        test.same("after refusals", list(files), self.names())

    def by_name(self, files):
        """Each verb hits the session that it names; a snapshot without a name is all sessions'."""
        test = self.test
        test.jprof("snapshot", self.pid, "all")
        test.jprof("snapshot", self.pid, "own", "--name", "s2")
        test.jprof("reset", self.pid, "--name", "third")
        calls = self.phase(100)
        said = test.jprof("stop", self.pid, "--name", "s2").err
        test.expect(str(files["s2"]) in said, f"stop of s2: {said}")
        test.same("after stop", ["one", "third"], self.names())
        self.has("s2", files["s2"], calls)
        more = self.phase(50)
        old = self.rows()["third"]["number"]
        again = self.begin("start", "--name", "s2")
        test.expect(self.rows()["s2"]["number"] > old, "a number is used again")
        last = self.phase(20)
        said = test.jprof("stop", self.pid, "--all").err
        for name, file in ("one", files["one"]), ("third", files["third"]), ("s2", again):
            test.expect(any(name in line and str(file) in line for line in said.splitlines()), f"no {name} in: {said}")
        test.same("after stop --all", "armed", self.status()["state"])
        every = {name: calls[name] + more[name] + last[name] for name in calls}
        self.has("one", files["one"], every)
        self.has("third, since its reset", files["third"], every)
        self.has("s2 again", again, last)
        for name, has in ("one", {"all"}), ("third", {"all"}), ("s2", {"all", "own"}):
            test.same(f"labels of {name}", has, self.labels(files[name]) & {"all", "own"})

    def ninth(self):
        test = self.test
        clients = [control.Client(self.pid) for _ in range(MOST + 1)]
        files = [test.new_profile() for _ in clients]
        answers = [client.ask("start", name=f"n{number}", by="ninth", options={"file": str(file), "include": ["Jobs"]})
                   for number, (client, file) in enumerate(zip(clients, files))]
        test.expect(all(answer["ok"] for answer in answers[:MOST]), f"eight sessions: {answers[:MOST]}")
        test.same("with whom the eighth shares", [f"n{number}" for number in range(MOST - 1)],
                  answers[MOST - 1]["result"]["shared_with"])
        refused = answers[MOST]
        test.expect(not refused["ok"] and refused["error"]["code"] == "busy" and str(MOST) in refused["error"]["message"],
                    f"the ninth: {refused}")
        test.expect(not files[MOST].exists(), "the ninth has left a file")
        calls = self.phase(20)
        clients[0].must("stop", name="n3")
        test.expect(clients[0].ask("start", name="n8", options={"file": str(files[MOST]), "include": ["Jobs"]})["ok"],
                    "there is no room behind a stop")
        result = clients[1].must("stop", all=True)
        test.same("stop of all", sorted({f"n{number}" for number in range(MOST + 1)} - {"n3"}),
                  sorted(row["name"] for row in result["sessions"]))
        for number in range(MOST):
            self.has(f"n{number}", files[number], calls)
        self.has("n8", files[MOST], {})
        for client in clients:
            client.close()

    def holder(self, name, ends):
        """A process that has begun a session."""
        profile = self.test.new_profile()
        process = subprocess.Popen([sys.executable, "-B", "-c", HOLDER, str(FOLDER), str(self.pid), name,
                                    "yes" if ends else "no", str(profile)], stdout=subprocess.PIPE, text=True)
        line = process.stdout.readline()
        self.test.expect("'ok': True" in line, f"{name}: {line}")
        return process, profile

    def killed_client(self):
        """kill -9 of the client ends its session if that was to last as long as it is connected."""
        test = self.test
        bound, bound_profile = self.holder("bound", True)
        free, free_profile = self.holder("free", False)
        test.expect(self.rows()["bound"].get("while_connected"), "status does not say what ends with its connection")
        calls = self.phase(30)
        for process in bound, free:
            process.kill()
            process.wait()
        test.expect(self.ended("bound"), f"it goes on without its client: {self.names()}")
        test.same("others go on", ["free"], self.names())
        more = self.phase(30)
        test.jprof("stop", self.pid, "--name", "free")
        self.has("bound", bound_profile, calls)
        self.has("free", free_profile, {name: calls[name] + more[name] for name in calls})

    def never_reads(self):
        """A client that asks and asks, and reads nothing, is dropped; what it has begun goes on."""
        test = self.test
        profile = self.begin("start", "--name", "quiet")
        deaf = control.Client(self.pid)
        own = test.new_profile()
        deaf.must("start", name="deaf", while_connected=True, options={"file": str(own), "include": ["Jobs"]})
        deaf.socket.settimeout(0.2)
        end = time.monotonic() + 30
        try:
            while time.monotonic() < end:
                deaf.send(b'{"jprof": 1, "verb": "status"}\n' * 50)
        except OSError:
            pass  # it is full, or gone
        calls = self.phase(30)
        test.expect("quiet" in self.names(), "a session is gone")
        deaf.close()
        test.expect(self.ended("deaf"), "the session of a client that never reads goes on without it")
        test.jprof("stop", self.pid, "--name", "quiet")
        self.has("quiet", profile, calls)
        test.whole("deaf", own)

    def by_itself(self):
        """attach --duration ends its own session, and leaves the agent where others record; the answer waits for who asks."""
        test, agent = self.test, self
        test.jprof("detach", self.pid)
        timed = test.new_profile()
        words = [str(word) for word in (test.program, "attach", self.pid, "--duration", 4, "--include", "Jobs", "--calls",
                                        "instrument", "--file", timed, "--name", "timed")]
        waiting = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        recording = wait_for(lambda: "timed" in agent.names() if run(test.program, "status", self.pid).status == 0 else None)
        test.expect(recording, "attach --duration does not record")
        stays = self.begin("start", "--name", "stays")
        test.expect(0 < self.rows()["timed"]["ends_in_ms"] <= 4000, f"when does it end: {self.rows()['timed']}")
        calls = self.phase(20)
        said = waiting.communicate(timeout=60)[1]
        test.expect(waiting.returncode == 0 and str(timed) in said, f"attach --duration: {said}")
        test.same("others stay", ["stays"], self.names())
        more = self.phase(20)
        client = control.Client(self.pid)
        brief = test.new_profile()
        number = client.must("start", name="brief", duration_ms=300,
                             options={"file": str(brief), "include": ["Jobs"]})["number"]
        test.expect(self.ended("brief"), "duration_ms is over, and it goes on")
        test.same("its end is told later", str(brief), client.must("stop", number=number)["file"])
        test.expect(not client.ask("stop", number=number)["ok"], "its end is told twice")
        client.close()
        test.jprof("stop", self.pid)
        self.has("timed", timed, calls)
        self.has("stays", stays, {name: calls[name] + more[name] for name in calls})
        test.whole("brief", brief)

    def crowd(self, seed):
        """Everybody does what comes to mind; who began a session ends it."""
        crowd = Crowd(self, seed)
        crowd.run()
        self.test.same("after the crowd", [], self.names())
        profile = self.begin("start")
        calls = self.phase(50)
        self.test.jprof("stop", self.pid)
        self.has("behind the crowd", profile, calls)


class Crowd:
    """Clients in threads."""

    def __init__(self, sessions, seed):
        self.sessions, self.test, self.pid = sessions, sessions.test, sessions.pid
        self.seed, self.end = seed, time.monotonic() + CROWD_SECONDS
        self.files, self.most, self.done = [], 0, {}
        self.lock = threading.Lock()

    def note(self, verb, answer):
        """What may be refused: a ninth session, and what is asked while another command is under way."""
        with self.lock:
            key = verb, answer["ok"]
            self.done[key] = self.done.get(key, 0) + 1
        if not answer["ok"] and answer["error"]["code"] != "busy":
            self.test.fail(f"{verb}: {answer['error']}")
        return answer["ok"]

    def one(self, number):
        chance = random.Random(self.seed * 1000 + number)
        client, own, turn = control.Client(self.pid), None, 0
        while time.monotonic() < self.end:
            turn += 1
            verb = chance.choice(("start", "status", "status", "snapshot", "stop", "hello"))
            if verb == "start" and not own:
                file = self.test.work / f"crowd-{number}-{turn}.jprof"
                name = f"c{number}.{turn}"
                if self.note(verb, client.ask(verb, name=name, by=f"client {number}", options={
                        "file": str(file), "include": [chance.choice(("Jobs", "Noise", "Jobs+Noise"))],
                        "calls": "instrument"})):
                    own = name, file
            elif verb == "stop" and own:
                own = None if self.stop(client, own) else own
            elif verb == "snapshot" and own:
                self.note(verb, client.ask(verb, name=own[0], label=f"t{turn}"))
            elif verb in ("status", "hello"):
                self.look(client, verb, own)
            time.sleep(chance.random() / 10)
        while own and not self.stop(client, own):
            time.sleep(0.1)
        client.close()

    def look(self, client, verb, own):
        answer = client.ask(verb)
        if not self.note(verb, answer) or verb != "status":
            return
        rows = {row["name"]: row for row in answer["result"]["sessions"]}
        with self.lock:
            self.most = max(self.most, len(rows))
        self.test.expect(len(rows) <= MOST, f"{len(rows)} sessions record")
        self.test.expect(not own or own[0] in rows, f"{own and own[0]} is not among {list(rows)}")

    def stop(self, client, own):
        answer = client.ask("stop", name=own[0])
        if not self.note("stop", answer):
            return False
        with self.lock:
            self.files.append(own[1])
        self.test.same("the file that was stopped", [own[0], str(own[1])],
                       [answer["result"].get("name"), answer["result"]["file"]])
        return True

    def guarded(self, number):
        try:
            self.one(number)
        except (OSError, ValueError, KeyError) as error:
            self.test.fail(f"client {number}, seed {self.seed}: {error!r}")

    def run(self):
        threads = [threading.Thread(target=self.guarded, args=(number,)) for number in range(CROWD)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            self.sessions.phase(5)
            time.sleep(0.2)
        for file in self.files:
            self.test.whole(f"seed {self.seed}", file)
        print(f"crowd, seed {self.seed}: {self.most} at once, {len(self.files)} profiles, {sorted(self.done.items())}")
        self.test.expect(self.most > 2, f"never more than {self.most} sessions at once")
        self.test.expect(len(self.files) > 5, f"only {len(self.files)} sessions have ended")


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    test = Test()
    java = test.javas[-1]
    test.javac(java, "Phases")
    sessions = Sessions(test, java)
    files = sessions.described()
    sessions.refusals(files)
    sessions.by_name(files)
    sessions.ninth()
    sessions.killed_client()
    sessions.never_reads()
    sessions.by_itself()
    sessions.crowd(random.randrange(1000000))
    for line in control.failures:
        test.fail(line)
    test.jprof("detach", sessions.pid)
    sessions.target.end()
    test.finish()


main()
