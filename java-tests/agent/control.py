# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Speaks to an agent's control socket, without jprof's own code.

    control.py PID sessions COUNT [OPTION=VALUE...]   COUNT x start, stop over one connection
    control.py PID crowd CLIENTS SECONDS FOLDER       clients that ask all at once
    control.py PID garbage                            what no client should send
    control.py PID refused CODE                       connects, and expects that error
    control.py PID ask VERB [MEMBER=JSON...]          one request; prints the result
    control.py PID hold VERB [MEMBER=JSON...]         the same, and stays connected until it is killed

Says what is wrong on standard error, and exits with 1.
"""

import json
import os
import socket
import sys
import threading
import time

ROOTS = ("/tmp", "/dev/shm", "/var/tmp")
LONGEST = 1 << 20  # bytes of a line
failures = []


def fail(text):
    failures.append(text)
    if len(failures) < 20:
        print("control.py:", text[:500], file=sys.stderr)


def place(pid):
    """The path of the control socket, as it is seen from here."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
        own = [line.split()[-1] for line in status if line.startswith("NSpid:")][0]
    for root in ROOTS:
        path = f"/proc/{pid}/root{root}/.jprof-{own}/control"
        if os.path.exists(path):
            return path
    raise SystemExit(f"control.py: no control socket of process {pid}")


class Client:
    def __init__(self, pid):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(60)
        self.socket.connect(place(pid))
        self.rest = b""
        self.last = 0

    def send(self, data):
        self.socket.sendall(data)

    def line(self):
        """The next line; b"" at the end."""
        while b"\n" not in self.rest:
            data = self.socket.recv(65536)
            if not data:
                return b""
            self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
        return line

    def answer(self):
        line = self.line()
        if not line:
            raise ConnectionError("closed")
        answer = json.loads(line)
        if answer.get("jprof") != 1 or not isinstance(answer.get("ok"), bool):
            fail(f"not an answer: {line[:200]!r}")
        if answer["ok"] is False and not (answer["error"]["code"] and answer["error"]["message"]):
            fail(f"an error without its text: {line[:200]!r}")
        return answer

    def ask(self, verb, **members):
        self.last += 1
        self.send(json.dumps({"jprof": 1, "id": self.last, "verb": verb, **members}).encode() + b"\n")
        answer = self.answer()
        if answer.get("id") != self.last:
            fail(f"{verb}: the answer's id is {answer.get('id')} instead of {self.last}")
        return answer

    def must(self, verb, **members):
        answer = self.ask(verb, **members)
        if not answer["ok"]:
            fail(f"{verb}: {answer['error']}")
        return answer.get("result")

    def close(self):
        self.socket.close()


# ---- sessions ----


def sessions(pid, count, *options):
    client = Client(pid)
    chosen = dict(option.split("=", 1) for option in options)
    begin = time.monotonic()
    for _ in range(int(count)):
        client.must("start", options=chosen)
        client.must("stop")
        if failures:
            break
    print(f"{(time.monotonic() - begin) * 1000 / int(count):.1f} ms each")
    client.close()


# ---- a crowd ----


class Crowd:
    """What each kind of client does in a loop; which errors are legal while others start and stop."""

    LEGAL = {
        "start": ("busy",),
        "stop": ("busy",),
        "snapshot": ("busy",),
        "reset": ("busy",),
        "status": ("busy",),
        "hello": (),
    }

    def __init__(self, pid, seconds, folder):
        self.pid, self.end, self.folder = pid, time.monotonic() + seconds, folder
        self.done = {verb: 0 for verb in self.LEGAL}
        self.refused = {}
        self.lock = threading.Lock()

    def note(self, verb, answer, expected_label):
        with self.lock:
            if not answer["ok"]:
                code = answer["error"]["code"]
                self.refused.setdefault((verb, code), answer["error"]["message"])
                if code not in self.LEGAL[verb]:
                    fail(f"{verb}: {answer['error']}")
                return
            self.done[verb] += 1
            if verb == "snapshot" and answer["result"]["label"] != expected_label:
                fail(f"snapshot: label {answer['result']['label']} instead of {expected_label}")
            if verb == "status" and answer["result"]["state"] not in ("armed", "recording"):
                fail(f"status: {answer['result']}")

    def run(self, number):
        try:
            self.loop(Client(self.pid), number)
        except (OSError, ValueError, KeyError) as error:
            fail(f"client {number}: {error!r}")

    def members(self, verb, label, own):
        """own: the name of the client's session."""
        if verb == "snapshot":
            return {"label": label}
        if verb == "stop":
            return {"name": own}
        if verb == "start":
            return {"name": own, "options": {"file": f"{self.folder}/{label}.jprof", "include": ["Jobs", "Noise"]}}
        return {}

    def loop(self, client, number):
        verbs = ("start", "stop") if number % 7 == 0 else ("status", "snapshot", "hello", "snapshot", "reset")
        turn = 0
        while time.monotonic() < self.end and len(failures) < 20:
            verb = verbs[turn % len(verbs)]
            label = f"c{number}-{turn}"
            turn += 1
            self.note(verb, client.ask(verb, **self.members(verb, label, f"c{number}")), label)
            if verb == "start":
                time.sleep(0.1)
            if turn % 50 == 0:  # and they come and go
                client.close()
                client = Client(self.pid)
        client.close()


def crowd(pid, clients, seconds, folder):
    everyone = Crowd(pid, float(seconds), folder)
    threads = [threading.Thread(target=everyone.run, args=(i,)) for i in range(int(clients))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("answered:", everyone.done)
    for (verb, code), message in sorted(everyone.refused.items()):
        print(f"refused: {verb}: {code}: {message}")
    for verb, count in everyone.done.items():
        if count == 0:
            fail(f"{verb} was never done")
    last = Client(pid)
    if last.must("status")["state"] == "recording":
        last.must("stop", all=True)
    last.close()


# ---- what no client should send ----

# A line, the code of its error.
GARBAGE = (
    (b"hello", "format"),
    (b"\n\n\n{", "format"),  # blank lines are passed over
    (b"\x00\xff\xfe\x00", "format"),
    (b"[]", "format"),
    (b"17", "format"),
    (b'{"jprof": 1, "verb": "status"', "format"),
    (b'{"jprof": 1, "verb": "status"} {}', "format"),
    (b'{"jprof": 2, "verb": "status"}', "version"),
    (b'{"jprof": "1", "verb": "status"}', "version"),
    (b'{"verb": "status"}', "version"),
    (b'{"jprof": 1}', "format"),
    (b'{"jprof": 1, "verb": 7}', "format"),
    (b'{"jprof": 1, "verb": "destroy"}', "usage"),
    (b'{"jprof": 1, "verb": "start", "options": 7}', None),
    (b'{"jprof": 1, "verb": "start", "options": "metric=cpu"}', None),
    (b'{"jprof": 1, "verb": "start", "options": {"file": 7}}', None),
    (b'{"jprof": 1, "verb": "start", "options": {"file": "/proc/none/x"}}', None),
    (b'{"jprof": 1, "verb": "snapshot", "label": {}}', None),
    (b"[" * 100000, "format"),
    (b'{"jprof": 1, "verb": "' + b"x" * 500000 + b'"}', "usage"),
    (b"GET / HTTP/1.1\r", "format"),
)


def garbage_lines(pid):
    client = Client(pid)
    for line, code in GARBAGE:
        client.send(line + b"\n")
        answer = client.answer()
        if answer["ok"] or code not in (None, answer["error"]["code"]):
            fail(f"{line[:60]!r}: {answer} instead of {code}")
    if client.must("status")["state"] != "armed":
        fail("garbage started something")
    client.close()


def long_line(pid, size):
    client = Client(pid)
    try:
        client.send(b"x" * size)
        client.send(b"\n")
    except OSError:
        pass  # it need not take all
    try:
        answer = json.loads(client.line() or b"null")
        if answer is not None and (answer["ok"] or answer["error"]["code"] != "format"):
            fail(f"a line of {size} bytes: {answer}")
        if client.line() != b"":
            fail(f"a line of {size} bytes: the connection goes on")
    except ConnectionError:
        pass
    client.close()


def half_lines(pid):
    """Clients that send a half and stay, or go; and one byte at a time."""
    waiting = []
    for part in (b"", b"{", b'{"jprof": 1, "verb": "status"}', b'{"jprof": 1, "verb": "sta'):
        client = Client(pid)
        client.send(part)
        waiting.append(client)
        gone = Client(pid)
        gone.send(part)
        gone.close()
    slow = Client(pid)
    for byte in b'{"jprof": 1, "id": "slow", "verb": "hello"}\n':
        slow.send(bytes((byte,)))
        time.sleep(0.002)
    if slow.answer().get("id") != "slow":
        fail("one byte at a time: a wrong answer")
    two = Client(pid)  # two requests in one piece
    two.send(b'{"jprof": 1, "id": 1, "verb": "hello"}\n{"jprof": 1, "id": 2.5, "verb": "status"}\n')
    if (two.answer().get("id"), two.answer().get("id")) != (1, 2.5):
        fail("two requests at once: wrong answers")
    # Asked, and gone before the answer.
    for _ in range(20):
        hasty = Client(pid)
        hasty.send(b'{"jprof": 1, "verb": "status"}\n' * 100)
        hasty.close()
    for client in waiting + [slow, two]:
        client.close()


def garbage(pid):
    garbage_lines(pid)
    long_line(pid, LONGEST + 1)
    long_line(pid, 10 * LONGEST)
    half_lines(pid)
    ask(pid, "status")


def refused(pid, code):
    try:
        client = Client(pid)
    except PermissionError:
        print("cannot connect")
        return
    answer = client.answer()
    if answer["ok"] or answer["error"]["code"] != code:
        fail(f"{answer} instead of {code}")
    if client.line() != b"":
        fail("the connection goes on")


def request(client, verb, members):
    result = client.must(verb, **{key: json.loads(value) for key, value in (member.split("=", 1) for member in members)})
    if not failures:
        print(json.dumps(result), flush=True)


def ask(pid, verb, *members):
    client = Client(pid)
    request(client, verb, members)
    client.close()


def hold(pid, verb, *members):
    client = Client(pid)
    request(client, verb, members)
    while not failures:
        time.sleep(600)


COMMANDS = {"sessions": sessions, "crowd": crowd, "garbage": garbage, "refused": refused, "ask": ask, "hold": hold}

if __name__ == "__main__":
    COMMANDS[sys.argv[2]](int(sys.argv[1]), *sys.argv[3:])
    sys.exit(1 if failures else 0)
