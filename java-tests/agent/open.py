#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""The page of a running JVM: what it shows is what the commands show, its buttons and switches do what the commands do, and it
goes on from the profile when the JVM has ended."""
import atexit
import http.client
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Target, Test, run, wait_for  # noqa: E402

TRACES = ("objects", "locks", "gc", "exceptions", "classes", "jit", "threads", "events")
CHOICES = ("tags", "values", "paths", "components", "threads")


def same(test, what, expected, found):
    test.same(what, [expected], [found])


class Page:
    """A `jprof open`, and what its page asks."""

    def __init__(self, test, subject, *words):
        self.test = test
        self.child = subprocess.Popen([str(test.program), "open", str(subject), "--no-browser", *words],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        atexit.register(self.child.kill)
        self.address = self.child.stdout.readline().strip()
        found = re.fullmatch(r"http://(127\.0\.0\.1:(\d+))/[0-9a-f]+/", self.address)
        if not found:
            test.fail(f"open {subject}: {self.child.stderr.read()}")
            test.finish()
        self.host, self.port, self.cookie = found[1], int(found[2]), ""
        answer, self.page = self.ask("")
        self.cookie = answer.headers["Set-Cookie"].split(";")[0]
        text = re.search(r'"application/x-jprof-server">(.*?)</script>', self.page.decode())[1]
        self.server = json.loads(text)

    def ask(self, place, body=None, **others):
        """As the page asks, but for those headers; None: without it."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        headers = {"Cookie": self.cookie}
        if body is not None:
            headers |= {"Content-Type": "application/json", "Origin": f"http://{self.host}"}
        headers |= {name.replace("_", "-"): value for name, value in others.items()}
        headers = {name: value for name, value in headers.items() if value is not None}
        client.request("GET" if body is None else "POST", urllib.parse.urlparse(self.address).path + place, body, headers)
        answer = client.getresponse()
        data = answer.read()
        client.close()
        return answer, data

    def json(self, place, body=None):
        return json.loads(self.ask(place, body)[1])

    def report(self, view, **choice):
        answer, data = self.ask("report?" + urllib.parse.urlencode({"view": view} | choice))
        self.test.expect(answer.status == 200, f"report {view}: {data[:300]}")
        return json.loads(data)

    def control(self, verb, **members):
        said = self.json("control", json.dumps({"verb": verb} | members))
        self.test.expect(said == {"ok": True}, f"{verb}: {said}")

    def calls(self, method, **choice):
        return sum(row["calls"] for row in self.report("methods", **choice)["rows"]
                   if f"{row['class']}.{row['method']}" == method)

    def end(self):
        self.child.terminate()
        said = self.child.communicate(timeout=60)[1]
        self.test.expect(self.child.returncode == 0, f"open ended with {self.child.returncode}: {said}")


def check_ended(test, page, target, profile):
    """It goes on from the file."""
    target.end()
    same(test, "status of what has ended", {"recording": False, "ended": True},
              wait_for(lambda: (status := page.json("status")).get("ended") and status))
    page.control("refresh")
    same(test, "the page's report", json.loads(test.jprof("report", profile, "--view", "methods", "--format", "json").out),
              page.report("methods"))
    said = page.json("control", '{"verb":"stop"}')
    test.expect(said["ok"] is False and "has ended" in said["error"], f"stop after the end: {said}")


def check_live(test, java):
    """From a JVM that does not record yet to its end."""
    target = Target(test, java, "-XX:+EnableDynamicAgentLoading", "-cp", test.work, "Scoped", test.work / "files")
    target.tell("walk", 1)  # it runs
    done = test.jprof("open", target.pid, "--no-browser", status=1)
    test.expect("no jprof agent" in done.err and not done.out, f"without the agent: {done.err}")
    test.jprof("attach", target.pid, "--start", "no")

    page = Page(test, "Scoped")  # by its name
    same(test, "what the page is of", {"live": True, "pid": target.pid, "traces": list(TRACES),
                                         "chosen": dict.fromkeys(CHOICES, [])}, page.server)
    same(test, "state", "armed", page.json("status")["state"])
    answer, data = page.ask("block")
    test.expect(answer.status == 400 and b"nothing was recorded yet" in data, f"without a profile: {data[:200]}")
    said = page.json("control", '{"verb":"stop"}')
    test.expect(said["ok"] is False and said["error"], f"stop of nothing: {said}")
    for options in '"x"', '{"nosuch":1}', '{"start":"no"}', '{"calls":"nosuch"}', '{"file":"/nowhere/x.jprof"}':
        said = page.json("control", f'{{"verb":"start","options":{options}}}')
        test.expect(said["ok"] is False and said["error"], f"start with {options}: {said}")

    profile = test.new_profile()
    page.control("start", options={"file": str(profile), "calls": "instrument", "include": "Inside", "calibration": "off"})
    same(test, "file", str(profile), page.json("status")["file"])
    target.tell("walk", 10)
    page.control("snapshot", label="first \u202e'\"<b>")
    target.tell("walk", 20)
    # Nothing but a refresh changes what is shown.
    before = page.calls("Inside.a")
    target.tell("walk", 5)
    same(test, "what is shown", before, page.calls("Inside.a"))
    page.control("refresh")
    one = 18 * 5  # of a walk, in five threads
    same(test, "calls", 35 * one, page.calls("Inside.a"))
    same(test, "calls until the snapshot", 10 * one, page.calls("Inside.a", interval="..first \u202e'\"<b>"))
    same(test, "calls since", 25 * one, page.calls("Inside.a", interval="first \u202e'\"<b>.."))
    said = page.json("control", '{"verb":"snapshot","label":"a..b"}')
    test.expect(said["ok"] is False and said["error"], f"a label that is not legal: {said}")
    page.control("snapshot")
    page.control("reset")
    target.tell("walk", 3)
    page.control("refresh")
    same(test, "calls after a reset", 3 * one, page.calls("Inside.a"))
    status = json.loads(test.jprof("status", target.pid, "--format", "json").out)
    same(test, "members of status", sorted(status), sorted(page.json("status")))
    page.control("stop")
    same(test, "state", "armed", page.json("status")["state"])
    same(test, "the page's report", json.loads(test.jprof("report", profile, "--view", "methods", "--format", "json").out),
              page.report("methods"))

    # One that somebody else starts is shown in its place, too, once the status has told of it.
    profile = test.new_profile()
    test.jprof("start", target.pid, "--file", profile, "--calls", "instrument", "--calibration", "off")
    target.tell("walk", 4)
    same(test, "file of somebody else's", str(profile), page.json("status")["file"])
    page.control("refresh")
    same(test, "calls of somebody else's recording", 4 * one, page.calls("Inside.a"))
    test.jprof("stop", target.pid)

    # An agent that has left and come back is there again; the JVM has not ended meanwhile.
    test.jprof("detach", target.pid)
    for _ in range(2):
        answer, data = page.ask("status")
        test.expect(answer.status == 503 and b"no jprof agent" in data, f"status without the agent: {data[:200]}")
    said = page.json("control", '{"verb":"start","options":{}}')
    test.expect(said["ok"] is False and "no jprof agent" in said["error"], f"start without the agent: {said}")
    test.jprof("attach", target.pid, "--start", "no")
    same(test, "state of an agent that is back", "armed", page.json("status")["state"])

    # The next recording is shown in its place; also by who opened its file.
    profile = test.new_profile()
    page.control("start", options={"file": str(profile), "calls": "instrument", "calibration": "off"})
    target.tell("walk", 2)
    page.control("refresh")
    same(test, "calls of another recording", 2 * one, page.calls("Inside.a"))
    other = Page(test, profile)
    same(test, "a file that is being written", (True, target.pid), (other.server["live"], other.server["pid"]))
    other.control("snapshot", label="other's")
    test.expect("other's" in page.json("status")["snapshots"], "the other page's snapshot is not there")
    check_ended(test, other, target, profile)
    test.expect(page.json("status") == {"recording": False, "ended": True}, "the first page's JVM goes on")
    page.control("refresh")
    same(test, "calls after the end", page.calls("Inside.a"), other.calls("Inside.a"))
    page.end()
    other.end()


def traces_on(test, target):
    return json.loads(test.jprof("status", target.pid, "--format", "json").out)["traces"]


def check_switches(test, page, target):
    """Each trace goes on and off; one that cannot be had is refused with the words of the command."""
    for trace in TRACES:
        command = run(test.program, "trace", target.pid, f"+{trace}")
        test.jprof("trace", target.pid, f"-{trace}")
        said = page.json("control", json.dumps({"verb": "trace", "on": [trace]}))
        test.expect(said["ok"] == (command.status == 0) and (said["ok"] or said["error"] in command.err),
                    f"+{trace}: the page: {said}, the command: {command}")
        same(test, f"on after +{trace}", [trace] if said["ok"] else [], traces_on(test, target))
        page.control("trace", off=[trace])
        same(test, f"on after -{trace}", [], traces_on(test, target))
    page.control("trace", on=["gc", "threads"])
    page.control("trace", on=["jit"], off=["gc"])
    same(test, "several at once", {"threads", "jit"}, set(traces_on(test, target)))
    same(test, "what status says of them", {"threads", "jit"}, set(page.json("status")["traces"]))
    for wrong in ({"on": ["nosuch"]}, {"on": "gc"}, {"on": [1]}, {"on": {"a": 1}}, {"on": ["gc"], "off": ["gc"]}):
        said = page.json("control", json.dumps({"verb": "trace"} | wrong))
        test.expect(said["ok"] is False and said["error"], f"{wrong}: {said}")
    same(test, "on after what was wrong", {"threads", "jit"}, set(traces_on(test, target)))


def check_strangers(test, page, target):
    """Who may not press a button may not switch, either."""
    body = '{"verb":"trace","on":["gc"],"off":["jit"]}'
    for status, headers in ((403, {"Origin": None}), (403, {"Origin": "http://evil.example"}), (403, {"Cookie": None}),
                            (403, {"Cookie": "jprof=" + "0" * 32}), (403, {"Sec_Fetch_Site": "cross-site"}),
                            (415, {"Content_Type": "text/plain"}), (403, {"Host": "evil.example"})):
        answer, data = page.ask("control", body, **headers)
        test.expect(answer.status == status, f"{headers}: {answer.status} {data[:200]}")
    answer, data = page.ask("control?verb=trace&on=gc")
    test.expect(answer.status in (400, 405), f"GET control: {answer.status} {data[:200]}")
    same(test, "on after strangers", {"threads", "jit"}, set(traces_on(test, target)))


def event_writes(profile):
    with sqlite3.connect(profile) as database:
        return database.execute("SELECT count(*) FROM event_write").fetchone()[0]


def check_traces(test, java):
    """Traces of a recording are switched, and kept events written."""
    profile = test.new_profile()
    target = Target(test, java, f"-agentpath:{test.agent}=file={profile},calls=instrument,include=Inside,flush=600,"
                    "events_keep=10s,calibration=off", "-cp", test.work, "Scoped", test.work / "files")
    target.tell("walk", 1)
    page = Page(test, target.pid)
    same(test, "what is kept", "10s", page.json("status")["options"]["events_keep"])
    check_switches(test, page, target)
    check_strangers(test, page, target)
    said = page.json("control", '{"verb":"trace","write":true}')
    test.expect(said["ok"] is False and "events is not on" in said["error"], f"written without events: {said}")
    page.control("trace", on=["events"])
    target.tell("walk", 2)
    same(test, "writes of events unasked", 0, event_writes(profile))
    page.control("trace", write=True)
    same(test, "writes of events", 1, event_writes(profile))
    # That changes nothing of what is shown until it is read again.
    before = page.report("methods")
    page.control("trace", off=["events", "jit", "threads"])
    same(test, "what is shown", before, page.report("methods"))
    page.control("refresh")
    facts = {row["key"] for row in page.report("summary")["rows"]}
    test.expect({"trace.threads", "trace.jit", "trace.events"} <= facts, f"the summary lacks some: {facts}")
    page.control("stop")
    said = page.json("control", '{"verb":"trace","on":["gc"]}')
    test.expect(said["ok"] is False and said["error"], f"+gc of what is not recorded: {said}")
    page.end()
    target.end()


def check_mounts(test, java):
    """The profile lies in a file system that only the JVM sees, and that is gone when it ends."""
    if run("unshare", "-m", "true").status != 0:
        print("not run: no file systems of its own here", flush=True)
        return
    hidden = test.work / "hidden"
    hidden.mkdir(exist_ok=True)
    target = Target(test, "unshare", "-m", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', hidden, java,
                    f"-agentpath:{test.agent}=file={hidden}/p.jprof,calls=instrument,include=Inside,calibration=off",
                    "-cp", test.work, "Scoped", test.work / "files")
    target.tell("walk", 2)
    page = Page(test, target.pid)
    target.tell("walk", 3)
    target.end()
    same(test, "status of what has ended", True, wait_for(lambda: page.json("status").get("ended")))
    page.control("refresh")
    same(test, "calls of a profile that is out of sight", 5 * 18 * 5, page.calls("Inside.a"))
    test.expect(not list(hidden.iterdir()), "the file system is not the JVM's own")
    page.end()


def folders_held(page):
    """How many descriptors of the command are folders."""
    return sum(name.is_dir() for name in pathlib.Path(f"/proc/{page.child.pid}/fd").iterdir())


def check_folders(test, java):
    """Where the JVM's file systems are others, each folder that has a profile is held once, however often they change."""
    if run("unshare", "-m", "true").status != 0:
        print("not run: no file systems of its own here", flush=True)
        return
    folders = [test.work / name for name in ("left", "right")]
    for folder in folders:
        folder.mkdir(exist_ok=True)
    target = Target(test, "unshare", "-m", java, f"-agentpath:{test.agent}=start=no,calibration=off", "-cp", test.work,
                    "Scoped", test.work / "files")
    target.tell("walk", 1)
    page = Page(test, target.pid)
    before = folders_held(page)
    for number in range(6):
        page.control("start", options={"file": f"{folders[number % 2]}/{number}.jprof", "include": ["Inside"],
                                       "calls": "instrument"})
        target.tell("walk", 1)
        page.control("stop")
        same(test, f"calls of profile {number}", 5 * 18, page.calls("Inside.a"))
    same(test, "folders that are held", 2, folders_held(page) - before)
    page.end()
    target.end()


def main():
    test = Test()
    (test.work / "files").mkdir()
    for java in test.javas:
        test.javac(java, "Scoped")
        check_live(test, java)
        check_traces(test, java)
        check_mounts(test, java)
        check_folders(test, java)
    test.finish()


main()
