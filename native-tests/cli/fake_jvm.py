# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""
A process that plays a HotSpot JVM, for attach.sh.

fake_jvm.py FOLDER SETTINGS: maps FOLDER/libjvm.so, makes its attach socket when it gets the
signal QUIT, answers as SETTINGS (JSON) say, and plays the agent once that is loaded. What it
is told goes to FOLDER/log, a line each; FOLDER/ready is there when it is ready.

answer    what the attach socket answers; "OK": as a JVM with an agent that loads
pause     seconds before that answer
dribbles  instead of it a byte now and then, for ever
deaf      the signal QUIT has no handler
mute      the signal QUIT makes no socket
socket    what it makes: "socket" (default), "file", "open" (for all users), "foreign" (of
          another user), "child" (another process listens)
listening the socket is there from the beginning
agent     what the agent does when asked (see Agent), or null: no control socket
loaded    the agent is there from the beginning
beside    names of sessions that record already: answers tell of sessions
"""
import json
import mmap
import os
import signal
import socket
import sys
import threading
import time

folder, settings = sys.argv[1], json.loads(sys.argv[2])
pid = os.getpid()
attach_path = f"/tmp/.java_pid{pid}"
control_folder = f"/tmp/.jprof-{pid}"


def log(line):
    with open(os.path.join(folder, "log"), "a", encoding="utf-8") as out:
        out.write(line + "\n")


def remove_stale(path):
    """A JVM that had this number before, and was killed, has left its socket."""
    try:
        os.unlink(path)
    except OSError:
        pass


def listen(path):
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(path + ".new")
    os.chmod(path + ".new", 0o600)
    server.listen(20)
    return server


remove_stale(attach_path)


def serve(server, talk):
    def loop():
        while True:
            client, _ = server.accept()
            threading.Thread(target=talk, args=(client,), daemon=True).start()

    threading.Thread(target=loop, daemon=True).start()


# What a terminal obeys, turns by, or does not show.
PAINT = "\x1b[2J\x7f\x9b31m\u061c\u200b\u200f\u202e\u2066\u2028\ufeff\U000e0001"


class Agent:
    """Answers requests; `mode` says how badly: good, busy, garbage, list, huge, half, version,
    silent, closes, late (an answer to an older request first), noresult, stalls (half an answer,
    and then nothing), dribbles (a byte now and then, for ever), nests (a thousand lists in each other),
    types (an answer whose members are all of the wrong type), others (answers to other requests, for
    ever), stays (says that it leaves, and does not), unread (reads nothing), painter (an error's
    text), paints (all texts of a good answer)."""

    def __init__(self, mode):
        self.mode = mode
        self.file = None
        if self.mode == "directory":
            os.mkdir(control_folder)
            os.chmod(control_folder, 0o755)
        else:
            os.makedirs(control_folder, 0o700, exist_ok=True)
        path = control_folder + "/control"
        self.server = listen(path)
        os.rename(path + ".new", path)
        serve(self.server, self.talk)

    def result(self, request):
        result = self.good_result(request)
        if self.mode != "paints":
            return result
        return {key: PAINT if isinstance(value, str) else value for key, value in result.items()}

    def good_result(self, request):
        verb = request["verb"]
        if verb == "hello":
            return {"agent": "0", "loaded": "attach"}
        if verb == "start":
            self.file = request.get("options", {}).get("file", "/loaded.jprof")
            self.file = self.file.replace("%p", str(pid)).replace("%%", "%")
            return {"file": self.file} | self.sessions(request)
        if verb == "stop" and request.get("all"):
            return {"file": "/a", "sessions": [{"name": "main", "file": "/tmp/main.jprof"},
                                               {"name": "s2", "file": "/tmp/s2.jprof", "error": "no room"}]}
        if verb == "stop":
            return self.ended()
        if verb == "status":
            return {"state": "recording", "pid": pid, "file": "/tmp/\x1bx", "duration_ns": 1234567890,
                    "memory": {"used": 1048576}, "overhead": {"share": 0.0123, "event_ns": 12.34,
                    "known_from": "calibration"},
                    "options": {"flush": 3}, "snapshots": ["a", "b"], "error": None, "new": 1,
                    "matches": [{"option": "scope", "pattern": "a\x1b.b", "matches": 0, "near": ["a.b", 7]},
                                {"option": "include", "pattern": "c", "matches": 3}],
                    "rates": {"span_ns": 500000000, "took_ns": 1000, "calls": 1000, "io_ops": 2,
                              "io_bytes": 3000000, "process_cpu_ns": 750000000,
                              "metrics": {"cpu": 250000000, "alloc": 2048},
                              "top": [{"method": "com.acme.\x1b[31mShop.buy", "calls": 900, "cpu": 5000000},
                                      {"method": "x" * 300, "calls": 100, "cpu": 1}]}}
        if verb == "snapshot":
            return {"label": request.get("label", "1"), "at_ns": 5}
        return self.ended() if verb == "detach" else {}

    def sessions(self, request):
        """What an agent that knows several says of the one that has begun."""
        if "beside" not in settings:
            return {}
        return {"name": request.get("name", "s3"), "number": 3, "shared_with": settings["beside"]}

    def ended(self):
        file, self.file = self.file, None
        return {"file": file} if file else {}

    def bad(self, request):
        answers = {
            "busy": {"jprof": 1, "id": request["id"], "ok": False,
                     "error": {"code": "busy", "message": "a recording runs already"}},
            "refuses": {"jprof": 1, "id": request["id"], "ok": False,
                        "error": {"code": "value", "message": "no such metric"}},
            "version": {"jprof": 2, "id": request["id"], "ok": True},
            "noresult": {"jprof": 1, "id": request["id"]},
            "painter": {"jprof": 1, "id": request["id"], "ok": False,
                        "error": {"code": "value", "message": PAINT}},
            "list": [1],
        }
        if request["verb"] == "detach" and self.mode in ("busy", "refuses"):
            return None
        if self.mode in answers:
            return json.dumps(answers[self.mode]).encode()
        return {"garbage": b"\xff{{", "half": b'{"jprof": 1', "huge": b"x" * 3000000}.get(self.mode)

    def hostile(self, client, request):
        """Never returns for most."""
        if self.mode == "silent":
            time.sleep(300)
        if self.mode == "stalls":
            client.sendall(b'{"jprof": 1, "id": ')
            time.sleep(300)
        while self.mode == "dribbles":
            client.sendall(b"[")
            time.sleep(0.2)
        while self.mode == "others":
            client.sendall(b'{"jprof": 1, "id": 77, "ok": true, "result": {}}\n' * 50)
        if self.mode == "nests":
            client.sendall(b"[" * 100000 + b"\n")
        if self.mode == "types":
            wrong = {"file": 7, "label": [], "loaded": {}, "state": 5, "pid": "x", "memory": "y",
                     "overhead": [1], "snapshots": {"a": 1}, "options": 3, "threads": {}, "calls": "many",
                     "lost": 1.5, "matches": [1, {"option": 2}, {"option": "scope", "pattern": None}],
                     "rates": 5, "top": [[], 1], "methods": "z", "error": 1}
            client.sendall(json.dumps({"jprof": 1, "id": request["id"], "ok": True,
                                       "result": wrong}).encode() + b"\n")
            return True
        if self.mode == "stays":
            client.sendall(json.dumps({"jprof": 1, "id": request["id"], "ok": True}).encode() + b"\n")
            time.sleep(300)
        return False

    def answer(self, client, request):
        if self.hostile(client, request):
            return True
        if self.mode == "closes":
            return False
        bad = self.bad(request)
        if bad is not None:
            client.sendall(bad + (b"" if self.mode == "half" else b"\n"))
            return self.mode != "half"
        while self.mode == "floods":
            client.sendall(b'{"jprof": 1, "id": 0, "ok": false}\n' * 100)
        if self.mode == "late":
            client.sendall(b'{"jprof": 1, "id": 0, "ok": false}\n')
        line = json.dumps({"jprof": 1, "id": request["id"], "ok": True, "result": self.result(request)})
        half = len(line) // 2
        client.sendall(line[:half].encode())
        time.sleep(0.01)
        client.sendall((line[half:] + "\n").encode())
        return True

    def end(self):
        os.unlink(control_folder + "/control")
        if not os.listdir(control_folder):
            os.rmdir(control_folder)

    def talk(self, client):
        if self.mode == "unread":
            time.sleep(300)
        try:
            for line in client.makefile("rb"):
                log("control " + line.decode().strip())
                request = json.loads(line)
                if not self.answer(client, request):
                    break
                if request["verb"] == "detach":
                    time.sleep(0.1)
                    self.end()
                    break
        except OSError:
            pass
        client.shutdown(socket.SHUT_RDWR)
        client.close()


def start_agent():
    mode = settings.get("agent", "good")
    if mode is not None:
        Agent(mode)


def attach_talk(client):
    request = b""
    while request.count(b"\0") < 5:
        part = client.recv(4096)
        if not part:
            break
        request += part
    log("attach " + request.decode().replace("\0", "|"))
    answer = settings.get("answer", "OK")
    time.sleep(settings.get("pause", 0))
    if answer == "OK":
        start_agent()
        answer = "0\nreturn code: 0\n"
    try:
        while settings.get("dribbles"):
            client.sendall(b"0")
            time.sleep(0.2)
        client.sendall(answer.encode() * settings.get("times", 1))
    except OSError:
        pass
    client.close()


def make_attach_socket():
    kind = settings.get("socket", "socket")
    if kind == "file":
        os.close(os.open(attach_path, os.O_CREAT | os.O_WRONLY, 0o600))
        return
    server = listen(attach_path)
    if kind == "child" and os.fork() == 0:
        server.close()
        os.unlink(attach_path + ".new")
        server = listen(attach_path)
        serve(server, attach_talk)
        os.rename(attach_path + ".new", attach_path)
        time.sleep(20)
        os._exit(0)
    if kind == "child":
        return
    if kind == "open":
        os.chmod(attach_path + ".new", 0o666)
    if kind == "foreign":
        os.chown(attach_path + ".new", 65534, 65534)
    os.rename(attach_path + ".new", attach_path)
    serve(server, attach_talk)


def on_quit(_number, _frame):
    log("quit")
    if not settings.get("mute"):
        make_attach_socket()


def main():
    name = os.path.join(folder, "libjvm.so")
    with open(name, "wb") as out:
        out.write(b"\0" * 4096)
    with open(name, "rb") as library:
        kept = mmap.mmap(library.fileno(), 4096, prot=mmap.PROT_READ)
    if not settings.get("deaf"):
        signal.signal(signal.SIGQUIT, on_quit)
    if settings.get("listening"):
        make_attach_socket()
    if settings.get("loaded"):
        start_agent()
    with open(os.path.join(folder, "ready"), "w", encoding="utf-8"):
        pass
    while kept:
        time.sleep(10)


main()
