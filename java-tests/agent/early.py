# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Commands in the first instants of a JVM.

    early.py COUNT FOLDER COMMAND...

Starts COUNT times the JVM (COMMAND; its agent records from the start), connects as soon as the
agent's socket is there, sends start (of a name that is taken), status, stop, start at once, and reads the answers. Those are
sane, unless the JVM has ended; and that ends as if nobody had asked: agent.Workload count N.

Says what is wrong on standard error, and exits with 1.
"""

import subprocess
import sys
import time

import control

LEGAL = ("busy", "jvm")  # codes of errors


def connect(process):
    """None: the JVM has ended before."""
    while process.poll() is None:
        try:
            return control.Client(process.pid)
        except (SystemExit, OSError):
            time.sleep(0.0005)
    return None


def answers(client, folder):
    file = f"{folder}/early-%p-2.jprof"
    requests = (("start", {"name": "main", "options": {"file": file}}), ("status", {}), ("stop", {}),
                ("start", {"options": {"file": file}}))
    lines = [control.json.dumps({"jprof": 1, "id": verb, "verb": verb, **members}) + "\n"
             for verb, members in requests]
    found = []
    try:
        client.send("".join(lines).encode())
        for verb, _ in requests:
            answer = client.answer()
            if answer.get("id") != verb:
                control.fail(f"{verb}: the answer is that of {answer.get('id')}")
            found.append(answer)
    except (ConnectionError, ValueError) as error:
        print("ended:", error)
    return found


def judge(found, folder):
    """The recording from the start is there before anybody can ask for another one."""
    for verb, answer in zip(("start", "status", "stop", "start again"), found):
        if not answer["ok"] and answer["error"]["code"] not in LEGAL:
            control.fail(f"{verb}: {answer['error']}")
    if found and found[0]["ok"]:
        control.fail(f"start: there was no recording: {found[0]}")
    if len(found) > 1 and found[1]["ok"] and found[1]["result"]["state"] != "recording":
        control.fail(f"status: {found[1]['result']}")
    if len(found) > 2 and found[2]["ok"] and not found[2]["result"].get("file", "").startswith(folder):
        control.fail(f"stop: {found[2]['result']}")
    if len(found) > 3 and found[2]["ok"] and not found[3]["ok"]:
        control.fail(f"start again: {found[3]['error']}")


def life(command, folder):
    """How many answers there were."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        client = connect(process)
        found = answers(client, folder) if client else []
        out, err = process.communicate(timeout=60)
    judge(found, folder)
    if process.returncode != 7:
        control.fail(f"exit status {process.returncode} instead of 7")
    if out.strip() != b"steps " + command[-1].encode() or err != b"done\n":
        control.fail(f"printed {out[:200]!r}, {err[:300]!r}")
    return len(found)


if __name__ == "__main__":
    count = [life(sys.argv[3:], sys.argv[2]) for _ in range(int(sys.argv[1]))]
    print("answers:", count)
    if sum(count) < 2 * len(count):
        control.fail(f"too few answers to tell anything: {count}")
    sys.exit(1 if control.failures else 0)
