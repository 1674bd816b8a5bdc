#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# open: the page of a profile is served to one browser of this machine, and to nobody else, whatever they send.
#
#   open.py JPROF MAKE_PROFILE
import atexit
import http.client
import json
import os
import re
import select
import signal
import socket
import sqlite3
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import traceback
import urllib.parse
import zlib

jprof, make_profile = map(os.path.abspath, sys.argv[1:3])
NAME = "a b\u202e'\"<x>.jprof"  # the profile's: shown to nobody but the browser
SAFE = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin",
        "X-Frame-Options": "DENY", "Connection": "close"}
os.environ.pop("BROWSER", None)


class Server:
    """A running `jprof open`, and the browser that the page was opened in first."""

    def __init__(self, *words, profile=NAME, env=None):
        self.child = subprocess.Popen([jprof, "open", profile, "--calibration", "off", *words],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                      env=env)
        atexit.register(self.child.kill)
        self.address = self.child.stdout.readline().rstrip("\n")
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", self.address)
        assert found, (self.address, self.child.stderr.read())
        self.port, self.token = int(found[1]), found[2]
        self.host, self.cookie = f"127.0.0.1:{self.port}", None

    def open_page(self):
        answer = self.ask("")
        assert answer.status == 200, answer.status
        self.cookie = answer.headers["Set-Cookie"].split(";")[0]
        return answer

    def ask(self, place, method="GET", body=None, **headers):
        """A whole request as a browser sends it, read to its end."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        if self.cookie:
            headers = {"Cookie": self.cookie} | headers
        client.request(method, f"/{self.token}/{place}", body, headers)
        answer = client.getresponse()
        answer.body = answer.read()
        client.close()
        return answer

    def control(self, body, **headers):
        answer = self.ask("control", "POST", json.dumps(body) if isinstance(body, dict) else body,
                          **{"Content-Type": "application/json", "Origin": f"http://{self.host}"} | headers)
        return answer.status, json.loads(answer.body) if answer.body.startswith(b"{") else answer.body

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def send(self, data):
        """Bytes as they are; what comes back until the server closes."""
        with self.connect() as client:
            try:
                client.sendall(data)
            except OSError:  # it has heard enough
                pass
            return read_end(client)

    def is_well(self, what):
        answer = self.ask("status")
        assert answer.status == 200 and json.loads(answer.body)["ended"], (what, answer.status)

    def memory(self):
        """Bytes of it in memory."""
        with open(f"/proc/{self.child.pid}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.child.pid}/fd"))

    def end(self, number=signal.SIGTERM):
        self.child.send_signal(number)
        said = self.child.communicate(timeout=60)[1]
        assert self.child.returncode == 0, (self.child.returncode, said)
        return said


def read_end(client):
    data = b""
    try:
        while piece := client.recv(65536):
            data += piece
    except OSError:
        pass
    return data


def status_of(data):
    """That of HTTP; 0: it was closed without an answer."""
    found = re.match(rb"HTTP/1\.[01] (\d{3}) ", data)
    assert found or data == b"", data[:200]
    return int(found[1]) if found else 0


def report(*words, status=0):
    done = subprocess.run([jprof, "report", NAME, "--calibration", "off", "--format", "json", *words],
                          capture_output=True, check=False)
    assert done.returncode == status, (words, done)
    return done.stdout if status == 0 else done.stderr.decode()


# ---- what the browser gets ----

def traces_of_help():
    """All that there are, as `jprof trace` says where it knows one not."""
    done = subprocess.run([jprof, "trace", str(os.getpid()), "+x"], capture_output=True, text=True, check=False)
    return re.search(r"the traces are (.*?) \(see", done.stderr)[1].split(", ")


def facts_of(answer):
    return json.loads(re.search(rb'<script type="application/x-jprof-server">(.*?)</script>', answer.body)[1])


def check_page(server):
    answer = server.open_page()
    nothing = {kind: [] for kind in ("tags", "values", "paths", "components", "threads")}
    assert facts_of(answer) == {"live": False, "pid": 0, "traces": traces_of_help(), "chosen": nothing}, facts_of(answer)
    assert NAME.encode() not in answer.body
    given = answer.headers["Set-Cookie"]
    assert re.fullmatch(rf"jprof=[0-9a-f]{{32}}; Path=/{server.token}/; HttpOnly; SameSite=Strict", given), given
    for place in "", "status", "report?view=threads", "report?view=x", "nowhere", "block":
        answer = server.ask(place)
        for name, value in SAFE.items():
            assert answer.headers[name] == value, (place, name, answer.headers[name])
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy, (place, policy)
        for name in answer.headers:
            assert not name.lower().startswith("access-control"), (place, name)
        assert "Server" not in answer.headers and "Set-Cookie" not in answer.headers, place


def block(server, query=""):
    answer = server.ask("block" + query)
    assert answer.status == 200, (query, answer.body)
    assert answer.headers["Content-Type"] == "application/octet-stream"
    data = zlib.decompress(answer.body, -15)
    length, = struct.unpack_from("<I", data)
    header = json.loads(data[4:4 + length])
    assert len(data) == 4 + length + sum(column["bytes"] for column in header["columns"]), query
    header["data"] = data[4 + length:]
    return header


def numbers(header, table, name):
    """A column of unsigned integers."""
    at = 0
    for column in header["columns"]:
        if (column["table"], column["name"]) == (table, name):
            break
        at += column["bytes"]
    values, value, shift = [], 0, 0
    for byte in header["data"][at:at + column["bytes"]]:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    assert len(values) == column["count"]
    return values


def rows_of(header, table):
    return max(column["count"] for column in header["columns"] if column["table"] == table)


def check_blocks(server):
    header = block(server)
    assert header["interval"] == "" and header["root"] == 0
    intervals = {interval["interval"] for interval in header["intervals"]}
    assert {"", "..1", "1..2", "3..", "1..3"} <= intervals, intervals
    assert rows_of(header, "node") == 2000
    for interval in "1..2", "..3", "2..", "1..3", "1..2", "..", "..1", "..2":
        assert block(server, f"?interval={interval}")["interval"] == interval
    part = block(server, "?" + urllib.parse.urlencode({"path": "*1*", "component": "(app*"}))
    assert part["chosen"]["paths"] == ["*1*"] and part["chosen"]["components"] == ["(app*"], part["chosen"]
    assert 1 < rows_of(part, "node") < 2000 and "threads" in part["views"] and "findings" not in part["views"]
    assert "findings" in header["views"] and not any(header["chosen"].values()), header["chosen"]
    assert part["notes"][0].startswith("only what was done below calls of *1*, within components like (app*"), part["notes"]
    small = block(server, "?limit=100")
    assert rows_of(small, "node") <= 100 and small["folded"]["paths"] > 0
    node = numbers(header, "node", "id")[5]
    below = block(server, f"?root={node}")
    assert below["root"] == node and 0 < rows_of(below, "node") < 2000
    for query in "?interval=1..nosuch", "?limit=0", "?limit=x", "?root=-1", "?root=5", "?who=me", "?root", "?interval=1", \
            "?tag=user", "?tag=user=x", "?value=x", "?path=no.such", "?component=none", "?file=x":
        answer = server.ask("block" + query)
        assert answer.status == 400 and json.loads(answer.body)["error"], (query, answer.status)


def check_reports(server):
    """The very bytes of `jprof report`."""
    views = re.search(r"the views are (.*?) \(see", report("--view", "x", status=2))[1].split(", ")
    assert len(views) > 10, views
    cases = [{"view": view} for view in views] + [
        {}, {"view": "tree", "depth": "2"}, {"view": "methods", "top": "3", "sort": "calls"},
        {"view": "tree", "min": "5%", "merge-threads": "1"}, {"view": "methods", "interval": "1..2"},
        {"view": "methods", "metric": "cpu"}, {"view": "threads", "thread": "m*"},
        {"view": "methods", "method": "*1*", "thread": "main"}, {"view": "tree", "interval": ".."},
        {"view": "tree", "by": "component"}, {"view": "callers", "by": "component", "top": "2"},
        {"view": "methods", "path": "com.acme.*"}, {"view": "tree", "component": "(app*", "thread": "main"},
        {"view": "methods", "file": "x"}, {"view": "components", "component": "(app*", "path": "*1*", "interval": "1..2"},
        # Refused, with the same words.
        {"view": "tre"}, {"view": "tree", "top": "0"}, {"view": "tree", "min": "101"}, {"view": "threads", "depth": "3"},
        {"view": "lines", "by": "component"},
        {"view": "methods", "sort": "nosuch"}, {"view": "methods", "metric": "nosuch"}, {"view": "threads", "min": "1"},
        {"view": "tree", "path": "x"}, {"view": "gc", "path": "x"}, {"view": "methods", "tag": "user=x"},
        {"view": "methods", "component": "no such"}, {"view": "methods", "interval": "5..9"}, {"view": "threads", "thread": "no-*"},
        {"view": "\x1b[31m\u202e"}, {"view": "tree", "interval": "1"}]
    refused = 0
    for case in cases:
        words = []
        for name, value in case.items():
            name = "snapshot" if name == "interval" else name
            words += [f"--{name}"] if name == "merge-threads" else [f"--{name}", value]
        done = subprocess.run([jprof, "report", NAME, "--calibration", "off", "--format", "json", *words],
                              capture_output=True, check=False)
        answer = server.ask("report?" + urllib.parse.urlencode(case))
        if done.returncode == 0:
            assert answer.status == 200 and answer.body == done.stdout, (case, answer.body[:300])
            continue
        refused += 1
        why = json.loads(answer.body)["error"]
        assert answer.status == 400 and why in done.stderr.decode(), (case, why, done.stderr)
    assert refused >= 10, refused
    for query in "top=1&top", "=", "view=tree&view%00=x", "view=tree%00", "merge-threads=no", "by=thread", "thread=%ff&nothing=1":
        answer = server.ask("report?" + query)
        assert answer.status == 400 and json.loads(answer.body)["error"], (query, answer.status)


def check_control(server):
    assert server.control({"verb": "refresh"}) == (200, {"ok": True})
    assert server.control({"verb": "leave"}) == (200, {"ok": True})
    for verb in "start", "stop", "snapshot", "reset", "trace":
        status, said = server.control({"verb": verb, "on": ["locks"]})
        assert status == 200 and said["ok"] is False and "no JVM" in said["error"], said
    assert server.control({"verb": "detach"})[1]["error"] == "no verb 'detach'"
    for body in "", "[]", "{", '{"verb":1}', '{"verb":"stop","verb":"stop"}', '{"verb":"refresh"}x', "[" * 5000, "\0":
        status, said = server.control(body)
        assert status == 400 and "error" in said, (body[:20], said)
    assert server.ask("status?hidden=1").status == 200
    assert server.ask("status?loud=1").status == 400


# ---- who is refused ----

def check_strangers(server):
    """Requests as other programs, other users and other web pages make them. None learns anything."""
    token, host, cookie = server.token, server.host, server.cookie
    other = token[:-1] + ("0" if token[-1] != "0" else "1")
    port = server.port

    def get(path, *headers, host=host, cookie=cookie, method="GET", version="1.1", body=""):
        lines = [f"{method} {path} HTTP/{version}", *([f"Host: {host}"] if host is not None else []),
                 *([f"Cookie: {cookie}"] if cookie else []), *headers, "", body]
        return "\r\n".join(lines).encode("latin-1")

    place = f"/{token}/status"
    fetch = ("Sec-Fetch-Site: same-origin", f"Origin: http://{host}")
    typed = ("Content-Type: application/json",)
    body = '{"verb":"refresh"}'
    sized = (f"Content-Length: {len(body)}",)
    cross = ("Sec-Fetch-Site: cross-site",)
    cases = {
        # What is expected: what is sent.
        200: [
            get(place), get(place, *fetch), get(place, host=f"localhost:{port}"), get(place, host=host, version="1.0"),
            get(place, cookie=f"a=b; {cookie}; jprof=0"), get(place, cookie=f"jprof={'0' * 32}; {cookie}"),
            get(f"/{token}/", *cross, "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"),
            get(f"/{token}/", "Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"),
            get(f"/{token}/control", *fetch, *typed, *sized, method="POST", body=body),
            get(f"/{token}/control", *fetch, "Content-Type: application/json; charset=utf-8", *sized, method="POST", body=body),
        ],
        403: [
            # Of other names, or none.
            get(place, host=None), get(place, host=""), get(place, host="127.0.0.1"), get(place, host="localhost"),
            get(place, host=f"evil.example:{port}"), get(place, host=f"127.0.0.1:{port + 1}"), get(place, host=f"127.0.0.1:{port}.evil.example"),
            get(place, host=f"0.0.0.0:{port}"), get(place, host=f"[::1]:{port}"), get(place, f"Host: {host}"),
            get(f"/{other}/", host="evil.example"),
            # Of other pages.
            get(place, "Origin: http://evil.example"), get(place, "Origin: null"), get(place, f"Origin: https://{host}"),
            get(place, f"Origin: http://127.0.0.1:{port + 1}"), get(place, f"Origin: http://{host}", f"Origin: http://{host}"),
            get(place, f"Origin: http://localhost:{port}"),
            get(place, *cross), get(place, "Sec-Fetch-Site: same-site"), get(place, *cross, "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"),
            get(f"/{token}/", *cross, "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"), get(f"/{token}/", *cross, "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script"),
            get(f"/{token}/", "Sec-Fetch-Site: whatever"),
            # Without the cookie, or with another one.
            get(place, cookie=None), get(place, cookie="jprof="), get(place, cookie=cookie + "0"), get(place, cookie=cookie.upper().replace("JPROF", "jprof") + " "),
            get(place, cookie=f"x{cookie}"), get(place, cookie=cookie[:-1]),
            # What changes something, without our origin.
            get(f"/{token}/control", *typed, *sized, method="POST", body=body),
            get(f"/{token}/control", *typed, *sized, "Origin: null", method="POST", body=body),
            # By other methods.
            *(get(place, *fetch, method=method) for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "HEAD")),
        ],
        404: [
            get("/"), get("/favicon.ico"), get(f"/{other}/"), get(f"/{other}/status"), get(f"/{token}"), get(f"/{token[:-1]}/status"),
            get(f"/{token.upper()}x/"), get(f"//{token}/status"), get(f"/{token}/nowhere"), get(f"/{token}/status/"), get(f"/{token}/./status"),
            get(f"/x/../{token}/status"), get(f"/{token}/../{token}/status"), get(f"/{token}/../../etc/passwd"), get(f"/{token}%2fstatus"),
            get(f"/{token}/%2e%2e/%2e%2e/etc/passwd"), get(f"/{token}/%73tatus"), get(f"/{token}/..%2f..%2fetc%2fpasswd"), get(f"/{token}/status%00"),
            get(f"/{token}/{NAME.encode('utf-8').decode('latin-1').replace(' ', '%20')}"), get(f"/{token}/status\\..\\x"), get(f"/?{token}/"),
            get(f"http://{host}/{token}/status"), get(f"http://evil.example/{token}/status"), get(f"/{token}/Status"),
            get(f"/{token}/", *fetch, *typed, *sized, method="POST", body=body),
        ],
        405: [get(f"/{token}/control"), get(f"/{token}/status", *fetch, *typed, *sized, method="POST", body=body)],
        415: [
            get(f"/{token}/control", *fetch, *sized, method="POST", body=body),
            *(get(f"/{token}/control", *fetch, f"Content-Type: {kind}", *sized, method="POST", body=body)
              for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx", "application/json-patch+json")),
        ],
    }
    secrets = (server.cookie.split("=")[1].encode(), b"bushy", NAME.encode())
    for expected, requests in cases.items():
        for request in requests:
            answer = server.send(request)
            # What evhttp itself finds illegal it answers, or closes.
            found = status_of(answer)
            refused = expected >= 400 and found in (400, 501)
            assert found == expected or refused, (expected, found, request, answer[:300])
            assert expected == 200 or not any(secret in answer for secret in secrets), (request, answer)
            assert b"ccess-control" not in answer.lower(), (request, answer)
    server.is_well("after strangers")


def check_garbage(server):
    """What is no HTTP, too much of it, or more than one."""
    good = (f"GET /{server.token}/status HTTP/1.1\r\nHost: {server.host}\r\nCookie: {server.cookie}\r\n").encode()
    post = good.replace(b"GET", b"POST").replace(b"status", b"control") + (
        f"Origin: http://{server.host}\r\nContent-Type: application/json\r\n").encode()
    cases = [
        b"", b"\0", b"\0" * 100000, b"\r\n" * 10000, b"GET", b"GET /", b"GET / HTTP/9.9\r\n\r\n", b"FOO / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + os.urandom(500), os.urandom(20000), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET " + b"a" * 1000000 + b" HTTP/1.1\r\n\r\n", b"GET /" + b"%00" * 1000 + b" HTTP/1.1\r\n\r\n",
        good + b"X: " + b"y" * 1000000 + b"\r\n\r\n", good + b"X: y\r\n" * 100000 + b"\r\n", good + b"X" * 100000, good + b"no colon\r\n\r\n",
        good + b": y\r\n\r\n", good + b" folded: y\r\n\r\n", good + b"X\0: y\r\n\r\n",
        good.replace(b"/status", b"/status\0") + b"\r\n", good.replace(b"1.1\r\n", b"1.1\r\nHost: evil.example\r\n") + b"\r\n",
        post + b"Content-Length: 10000000\r\n\r\n" + b"x" * 10000000, post + b"Content-Length: -1\r\n\r\n{}", post + b"Content-Length: 99999999999999999999\r\n\r\n{}",
        post + b"Content-Length: 2\r\nContent-Length: 50\r\n\r\n{}", post + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        post + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", post + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n", post + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 100000,
        post + b"Expect: 100-continue\r\nContent-Length: 10000000\r\n\r\n", post + b"Content-Length: 2\r\nContent-Encoding: gzip\r\n\r\n{}",
    ]
    before = server.memory()
    for case in cases:
        with server.connect() as client:
            try:
                client.sendall(case)
                client.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            answer = read_end(client)
            assert status_of(answer) in (0, 100, 200, 400, 403, 404, 413, 417, 431, 500, 501, 505), (case[:200], answer[:300])
        server.is_well(case[:100])
    assert server.memory() < before + (64 << 20), (before, server.memory())
    # One answer a connection, whatever stands behind the first request; also to who closed his side.
    for many in (good + b"\r\n") * 2, (good + b"\r\n") * 100, good + b"Connection: keep-alive\r\n\r\n" + good + b"\r\n":
        assert server.send(many).count(b"HTTP/1.1 ") <= 1, many[:100]
    with server.connect() as client:
        client.sendall(good + b"\r\n")
        client.shutdown(socket.SHUT_WR)
        assert status_of(read_end(client)) == 200
    # Drop by drop is legal.
    with server.connect() as client:
        for byte in good + b"\r\n":
            client.sendall(bytes([byte]))
        assert status_of(read_end(client)) == 200


# ---- many, and slow ones ----

def is_open(client):
    """The other side has not closed."""
    try:
        return client.recv(1000) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def check_crowd(server):
    """1,000 who say nothing, or not enough, keep nobody out; what it has for them is bounded."""
    before = server.memory()
    crowd = []
    kinds = (b"", b"G", f"GET /{server.token}/ HTTP/1.1\r\nHost: x\r\nX: ".encode(), b"POST / HTTP/1.1\r\nContent-Length: 60000\r\n\r\n" + b"x" * 59000,
             b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"0" * 200000)
    for i in range(1000):
        client = server.connect()
        crowd.append(client)
        try:
            client.setblocking(False)
            client.send(kinds[i % len(kinds)])
        except OSError:
            pass
        if i % 100 == 99:
            server.is_well(f"beside {i} others")
            assert server.descriptors() < 250, server.descriptors()
            # It did not wait for those to be over time.
            assert any(map(is_open, crowd)), i
    assert block(server)["root"] == 0
    assert server.memory() < before + (64 << 20), (before, server.memory())
    for client in crowd:
        client.close()
    server.is_well("after the crowd")


def check_deadline(server):
    """Who sends a little now and then is not waited for."""
    with server.connect() as client:
        client.settimeout(0.2)
        client.sendall(f"GET /{server.token}/status HTTP/1.1\r\nHost: {server.host}\r\n".encode())
        for _ in range(300):  # a minute
            try:
                client.sendall(b"X: y\r\n")
                if client.recv(100) == b"":
                    return
            except TimeoutError:
                continue
            except OSError:
                return
    raise AssertionError("a request that never ends was listened to for a minute")


def check_number(server):
    """Nor who sends a number that never ends: of that no more is read than of others."""
    sent = 0
    with server.connect() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        client.sendall(f"POST /{server.token}/control HTTP/1.1\r\nHost: {server.host}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        try:
            while True:
                sent += client.send(b"0" * 65536)
        except TimeoutError as never:
            raise AssertionError("who sends a number that never ends was not turned out") from never
        except OSError:
            pass
    # The kernel's buffers have room for most of that.
    assert sent < 10 << 20, sent


def check_connect(server):
    """Not refused at once, as libevent waits for what follows; but not waited for long."""
    answer = server.send(f"CONNECT /{server.token}/status HTTP/1.1\r\nHost: {server.host}\r\nCookie: {server.cookie}\r\n\r\n".encode())
    assert status_of(answer) == 501, answer


def check_readers(server):
    """Clients that do not read their answers, and that leave before them."""
    request = (f"GET /{server.token}/block HTTP/1.1\r\nHost: {server.host}\r\nCookie: {server.cookie}\r\n\r\n").encode()
    clients = [server.connect() for _ in range(30)]
    for i, client in enumerate(clients):
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(request)
        if i % 2 == 0:
            client.close()
    server.is_well("beside clients that do not read")
    assert block(server)["root"] == 0
    for client in clients:
        client.close()


def check_blocked(server):
    """While the profile is read, which takes as long as somebody else locks it, others are answered. What was asked for
    meanwhile is not made where the client has gone: one that only closed its side is told so."""
    lock = sqlite3.connect(NAME, isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    told = []
    waiting = threading.Thread(target=lambda: told.append(server.control({"verb": "refresh"})))
    waiting.start()
    for _ in range(20):
        server.is_well("while the profile is read")
    gone = []
    for place in "block", "report?view=threads":
        client = server.connect()
        client.sendall(f"GET /{server.token}/{place} HTTP/1.1\r\nHost: {server.host}\r\nCookie: {server.cookie}\r\n\r\n".encode())
        client.shutdown(socket.SHUT_WR)
        gone.append(client)
    server.is_well("beside clients that have gone")
    assert waiting.is_alive()
    lock.execute("ROLLBACK")
    lock.close()
    waiting.join()
    assert told == [(200, {"ok": True})], told
    for client in gone:
        answer = read_end(client)
        assert status_of(answer) == 503 and b"the client has gone" in answer, answer[:500]
        client.close()


def check_address(server):
    """It listens there alone."""
    with open("/proc/net/tcp", encoding="ascii") as table:
        mine = [line.split()[1] for line in table if line.split()[3] == "0A" and line.split()[1].endswith(f":{server.port:04X}")]
    assert mine == [f"0100007F:{server.port:04X}"], mine
    if os.path.exists("/proc/net/tcp6"):
        with open("/proc/net/tcp6", encoding="ascii") as table:
            assert not any(line.split()[3] == "0A" and line.split()[1].endswith(f":{server.port:04X}") for line in table)
    for other in "127.0.0.2", "::1":
        try:
            socket.create_connection((other, server.port), timeout=5).close()
            raise AssertionError(other)
        except OSError:
            pass


# ---- life ----

def check_second_browser():
    server = Server("--no-browser")
    server.open_page()
    second = Server.__new__(Server)
    second.__dict__ |= server.__dict__ | {"cookie": None}
    answer = second.ask("")
    assert answer.status == 200 and "Set-Cookie" not in answer.headers
    answer = second.ask("block")
    assert answer.status == 403 and "another browser" in json.loads(answer.body)["error"], answer.body
    server.is_well("beside a second browser")
    assert server.end(signal.SIGINT) == ""


def check_closed():
    """It ends by itself when nobody asks any more; not before somebody has."""
    server = Server("--no-browser", "--keep=0.3")
    ready, _, _ = select.select([server.child.stderr], [], [], 1)
    assert not ready and server.child.poll() is None
    server.open_page()
    said = server.child.communicate(timeout=60)[1]
    assert server.child.returncode == 0 and said == "jprof: the page was closed\n", said


def check_left(_):
    """It ends soon after the page has left, also where that is hidden then."""
    server = Server("--no-browser")
    server.open_page()
    assert server.control({"verb": "leave"}) == (200, {"ok": True})
    assert server.ask("status?hidden=1").status == 200
    said = server.child.communicate(timeout=60)[1]
    assert server.child.returncode == 0 and said == "jprof: the page was closed\n", said


def check_browser(folder):
    """The address is in no command line; the file that has it is the user's alone, and goes when the page was asked for."""
    script, seen = os.path.join(folder, "browser"), os.path.join(folder, "seen")
    runtime = os.path.join(folder, "run time")
    os.mkdir(runtime, 0o700)
    os.mkfifo(seen)
    with open(script, "w", encoding="utf-8") as out:
        out.write(f'#!/bin/sh\nprintf "%s\\n" "$#" "$@" >"{seen}"\n')
    os.chmod(script, 0o755)
    env = os.environ | {"BROWSER": f"/nowhere/browser:{script} --new %s", "XDG_RUNTIME_DIR": runtime}
    server = Server(env=env)
    with open(seen, encoding="utf-8") as lines:
        count, option, file = lines.read().splitlines()
    assert (count, option) == ("2", "--new"), (count, option)
    assert os.path.dirname(file) == runtime and stat.S_IMODE(os.stat(file).st_mode) == 0o600, file
    with open(file, encoding="utf-8") as page:
        assert server.address in page.read()
    with open(f"/proc/{server.child.pid}/cmdline", "rb") as line:
        assert server.token.encode() not in line.read()
    server.open_page()
    assert os.listdir(runtime) == []
    said = server.end()
    assert ("as root" in said) == (os.geteuid() == 0), said
    # One that is never asked: nothing stays, either. And one that cannot be started.
    server = Server(env=env | {"BROWSER": "/bin/true"})
    server.end()
    assert os.listdir(runtime) == []
    server = Server(env=env | {"BROWSER": "/nowhere/browser"})
    assert "cannot start '/nowhere/browser'" in server.end()
    assert os.listdir(runtime) == []


def check_words(folder):
    def refused(pattern, *words, status=2):
        done = subprocess.run([jprof, "open", *words], capture_output=True, text=True, check=False, cwd=folder)
        assert done.returncode == status and re.search(pattern, done.stderr) and done.stdout == "", (words, done)

    refused("nosuch.jprof", "nosuch.jprof", status=1)
    refused("no JVM|no program|names none|nosuch", "nosuch")
    refused("'' is neither a file nor a process", "")
    refused("--port needs a number from 0 to 65535, not '65536'", "--port", "65536")
    refused("--port needs a number", "--port", "-1")
    refused("--keep: 'x'", "--keep=x")
    refused("--tag needs a key and a pattern", "--tag", "alice")
    refused("not 'b' too", "a", "b")
    refused("no process 999999999|no process", "999999999", status=1)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused("cannot listen on port", os.path.abspath(NAME), "--no-browser", "--calibration", "off", "--port", str(taken.getsockname()[1]), status=1)
        port = taken.getsockname()[1]
    # What is chosen is the page's to ask for, whatever it is: it ends no element.
    server = Server("--no-browser", "--port", str(port), "--tag", "user=</script><b>", "--value", "a", "--value", "b*",
                    "--path", "*1*", "--component", "x", "--thread", "m*")
    assert server.port == port
    chosen = facts_of(server.open_page())["chosen"]
    assert chosen == {"tags": ["user=</script><b>"], "values": ["a", "b*"], "paths": ["*1*"], "components": ["x"],
                      "threads": ["m*"]}, chosen
    server.is_well("on the port that was asked for")
    server.end()


def main(folder):
    os.chdir(folder)
    subprocess.run([make_profile, "bushy", "2000", "2", NAME, "3"], check=True)
    before = set(os.listdir("/tmp"))
    server = Server("--no-browser")
    check_page(server)
    failures = []

    def beside(check):
        try:
            check(server)
        except Exception:  # pylint: disable=broad-exception-caught
            failures.append(traceback.format_exc())

    # Ten seconds each.
    slow = [threading.Thread(target=beside, args=(check,)) for check in (check_deadline, check_number, check_connect, check_left)]
    for thread in slow:
        thread.start()
    for check in (check_blocks, check_reports, check_control, check_strangers, check_garbage, check_readers, check_blocked, check_address):
        check(server)
    for thread in slow:
        thread.join()
    check_crowd(server)
    assert not failures, failures[0]
    assert server.child.poll() is None
    assert server.end(signal.SIGINT) == ""
    check_second_browser()
    check_closed()
    check_browser(folder)
    check_words(folder)
    left = [name for name in set(os.listdir("/tmp")) - before if name.startswith("jprof-open")]
    assert left == [], left


with tempfile.TemporaryDirectory() as work:
    main(work)
