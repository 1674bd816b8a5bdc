#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""A shop for three users, a web application on a database (java-tests/shop): what it counts of its work is what its rules come to
and what the database counts, through each pool, in proxies, on virtual threads; and it finds what was not counted. Attached to
while it serves, jprof has its requests, its calls of JDBC, the bytes of its documents and of its connections, all together and of one
user, kind of request, component or document alone, changes nothing of it, and has none of its secrets."""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402
import shop_program  # noqa: E402
from shop_program import Column, Shop  # noqa: E402

WARM, SERVED = 90, 330
ALONE = (
    {"pool": "h2"},
    {"pool": "dbcp", "wrap": "yes", "database": "tcp"},
    {"pool": "h2", "wrap": "yes", "database": "file"},
    {"pool": "tomcat", "wrap": "yes", "threads": "virtual", "clients": "16"},
)
ATTACHED = (
    {"pool": "tomcat"},
    {"pool": "dbcp", "wrap": "yes", "threads": "virtual"},
)
USERS = "alice", "bob", "carol"
DRIVER = "org.h2.jdbc.JdbcStatement", "org.h2.jdbc.JdbcPreparedStatement"
EXECUTE = "execute", "executeQuery", "executeUpdate", "executeBatch"
# What a part of a profile is told by: components of the recording's own.
COMPONENTS = {"components": [
    {"name": "JDBC driver and database", "entries": [f"{name}.execute*" for name in DRIVER]},
    {"name": "servlet container", "methods": ["org.apache.catalina.*", "org.apache.coyote.*", "org.apache.tomcat.util.*"]}]}
# Where the container reads and writes.
CHANNEL = "org.apache.tomcat.util.net.NioChannel"
# Methods below which a kind of request has all its statements.
BELOW = {"com.acme.shop.store.Orders.order": "order", "com.acme.shop.store.Articles.list": "list",
         "com.acme.shop.store.Reports": "report"}
# Methods through which calls of JDBC go, the shop's and, behind pools and proxies, the driver's; the statements of which they are
# (all, or those that are prepared or not), and what of these is their calls.
CALLS = {
    "Db.create": (False, ("statements",)),
    "Db.prepare": (True, ("statements",)),
    "Db.execute": (None, ("executions", "failed")),
    "JdbcStatement.executeQuery": (False, ("queries",)),
    "JdbcPreparedStatement.executeQuery": (True, ("queries",)),
    "JdbcStatement.executeUpdate": (False, ("updates", "failed")),
    "JdbcPreparedStatement.executeUpdate": (True, ("updates",)),
    "Db.addBatch": (True, ("batch_entries",)),
    "JdbcPreparedStatement.addBatch": (True, ("batch_entries",)),
    "Db.executeBatch": (True, ("batches",)),
    "JdbcPreparedStatement.executeBatch": (True, ("batches",)),
}


def possible(java, settings):
    release = (pathlib.Path(java).parent.parent / "release").read_text()
    return settings.get("threads") != "virtual" or int(re.search(r'JAVA_VERSION="([0-9]+)', release).group(1)) >= 21


def check(test, what, truth, requests):
    for line in list(shop_program.differences(truth, requests))[:10]:
        test.fail(f"{what}: {line}")


def alone(test, java, classes, settings):
    what = f"{java} {settings}"
    shop = Shop(test, java, classes, **settings)
    shop.serve(WARM)
    shop.forget()
    shop.serve(SERVED)
    check(test, what, shop.truth(), SERVED)
    shop.forget()
    shop.serve(WARM)
    shop.tell("aside")
    lines = list(shop_program.differences(shop.truth(), WARM))
    test.expect(len(lines) == 2 and all("detail" in line or "stock FROM article" in line for line in lines),
                f"{what}: H2 has executed a statement aside, and what differs is {lines}")
    shop.end()


def attached(test, java, classes, settings):
    what, profile = f"{java} {settings}, attached", test.new_profile()
    shop = Shop(test, java, classes, "-XX:+EnableDynamicAgentLoading", **settings)
    shop.serve(WARM)
    shop.forget()
    test.jprof("attach", shop.pid, "--file", profile, "--calls", "instrument", "--include", "com.acme.shop.*",
               *(word for name in (*DRIVER, CHANNEL) for word in ("--include", name)),
               "--parameters", "jdbc", "--tags", "user:com.acme.shop.UserFilter.handle(0.user.getName())",
               "--tags", "kind:com.acme.shop.UserFilter.handle(0.kind)")
    shop.serve(SERVED)
    test.jprof("stop", shop.pid)
    truth = shop.truth()
    shop.end()
    check(test, what, truth, SERVED)
    test.same(f"{what}: secrets", [], shop_program.secrets_in(truth, profile))
    seen = test.views(profile)
    for line in (*compare_calls(truth, seen), *compare_documents(truth, seen),
                 *shop_program.compare_values("values", truth, seen.rows("values"), "jdbc"),
                 *shop_program.compare_tags("tags", truth, seen.rows("tags"), "user"),
                 *shop_program.compare_tags("tags", truth, seen.rows("tags"), "kind"),
                 *(line for user in USERS for line in of_user(test, truth, profile, user)),
                 *of_components(test, truth, profile), *of_paths(test, truth, profile),
                 *(line for user in USERS for line in of_document(test, truth, profile, user))):
        test.fail(f"{what}: {line}")


def compare_calls(truth, seen):
    wanted = {("Work.run",): {"calls": sum(row["requests"] for row in truth["work"])}}
    for method, (prepared, numbers) in CALLS.items():
        rows = [row | {"queries" if row["rows"] else "updates": row["executions"]} for row in truth["sql"]
                if prepared is None or prepared == (row["name"] not in shop_program.PLAIN)]
        wanted[method,] = {"calls": sum(row.get(name, 0) for row in rows for name in numbers)}

    def key(row):
        name = f"{(row['class'] or '').rsplit('.', 1)[-1]}.{row['method']}"
        return (name,) if (name,) in wanted else None

    return shop_program.compare("methods", wanted, seen.rows("methods"), key, [
        Column("calls", lambda row: row["calls"])])


def of_user(test, truth, profile, user):
    """What was done for that user alone: statements and their rows, requests."""
    def rows(view):
        return json.loads(test.jprof("report", profile, "--view", view, "--tag", f"user={user}", "--format", "json").out)["rows"]

    runs = [row["calls"] for row in rows("methods") if row["class"] == "com.acme.shop.Work" and row["method"] == "run"]
    wanted = shop_program.figures(truth, "user")[user,]["calls"]
    if runs != [wanted]:
        yield f"requests of {user}: {runs}, counted {wanted}"
    yield from shop_program.compare_values(f"values of {user}", truth, rows("values"), "jdbc", user)


def report(test, profile, view, *options):
    return json.loads(test.jprof("report", profile, "--calibration", "off", "--format", "json", "--view", view, *options).out)["rows"]


def statements(truth, **of):
    """Calls that hand a statement to the database, and their ns as the shop has measured them: of rows like that."""
    rows = [row for row in truth["sql"] if all(row[key] == value for key, value in of.items())]
    calls = "executions", "failed", "batches"
    return (sum(row[name] for row in rows for name in calls), sum(row["ns"].get(name, 0) for row in rows for name in calls))


def driver_calls(rows):
    return sum(row["calls"] or 0 for row in rows if row["class"] in DRIVER and row["method"] in EXECUTE)


def of_components(test, truth, profile):
    """Calls into the driver are the statements, and take no longer than the shop has measured around them, nor less than half of it;
    what the container has received and sent is what its customers have sent and received; and nothing else is told where one component
    is looked at alone."""
    definitions = test.work / "components.json"
    definitions.write_text(json.dumps(COMPONENTS))
    driver, container = (component["name"] for component in COMPONENTS["components"])
    options = "--components", definitions
    calls, wall = statements(truth)
    for chosen in (), ("--component", driver):
        row, = (row for row in report(test, profile, "components", *options, *chosen) if row["component"] == driver)
        if row["calls"] != calls:
            yield f"calls into the driver {chosen}: {row['calls']}, counted {calls}"
        if not 0.5 * wall <= row["cum"]["wall"] <= wall:
            yield f"time in the driver {chosen}: {row['cum']['wall']}, around it {wall}"
    methods = report(test, profile, "methods", "--component", driver, *options)
    if driver_calls(methods) != calls or any(row["calls"] for row in methods if row["class"].startswith("com.acme.")):
        yield f"methods of the driver: {[(row['class'], row['method'], row['calls']) for row in methods]}"
    exchanged = {"received": truth["customers"]["sent"], "sent": truth["customers"]["received"]}
    row, = (row for row in report(test, profile, "components", *options) if row["component"] == container)
    found = {part: row["io"]["base"][part]["bytes"] for part in exchanged}
    if found != exchanged:
        yield f"the container's I/O: {found}, its customers' {truth['customers']}"
    rows = report(test, profile, "connections", "--component", container, *options)
    found = {part: sum(row[part]["bytes"] for row in rows) for part in exchanged}
    if found != exchanged:
        yield f"connections within the container: {found}, its customers' {truth['customers']}"


def of_paths(test, truth, profile):
    """Statements below calls of some methods, those of a user among them, and, the same, those with their tag."""
    for path, kind in BELOW.items():
        for user in (None, *USERS):
            of = {"kind": kind} | ({"user": user} if user else {})
            tags = ("--tag", f"user={user}") if user else ()
            calls, _ = statements(truth, **of)
            for options in ("--path", path, *tags), ("--tag", f"kind={kind}", *tags), ("--path", path, "--tag", f"kind={kind}", *tags):
                found = driver_calls(report(test, profile, "methods", *options))
                if found != calls:
                    yield f"statements with {options}: {found}, counted {calls}"
    done = run(test.program, "report", profile, "--view", "methods", "--path", "com.acme.shop.store.Orders", "--tag", "kind=list")
    if done.status != 1 or "nothing was done below calls of 'com.acme.shop.store.Orders'" not in done.err:
        yield f"orders in lists: {done}"


def of_document(test, truth, profile, user):
    """From the user's document to whose work reads it, in which kind of request, by which methods and threads, and back."""
    file, read = ("--file", f"*/document-{user}.bin"), shop_program.figures(truth, "user")[user,]["file_bytes"]
    tags = {f"{row['key']}={row['value']}": row["reads"]["bytes"] for row in report(test, profile, "tags", *file)}
    if tags != {f"user={user}": read, "kind=report": read}:
        yield f"tags of {user}'s document: {tags}, read {read}"
    threads = sum(row["io"]["bytes"] for row in report(test, profile, "threads", *file))
    methods = {row["method"]: row["io"]["bytes"] for row in report(test, profile, "methods", *file)}
    if threads != read or methods.get("send") != read or "list" in methods:
        yield f"{user}'s document: threads {threads}, methods {methods}, read {read}"
    back = [row["reads"]["bytes"] for row in report(test, profile, "files", *file, "--tag", f"user={user}", "--path", "com.acme.shop.store.Documents")]
    if sum(back) != read:
        yield f"{user}'s document, back: {back}, read {read}"
    out = test.work / f"{user}.collapsed"
    test.jprof("export", profile, "--to", "collapsed", "--calibration", "off", *file, "--metric", "io.bytes", "-o", out)
    exported = sum(int(line.rsplit(" ", 1)[1]) for line in out.read_text().splitlines())
    if exported != read:
        yield f"{user}'s document: {exported} bytes in stacks, read {read}"


def compare_documents(truth, seen):
    def key(row):
        document = re.search(r"/document-(\w+)\.bin$", row["path"] or "")
        return document and (document.group(1),)

    return shop_program.compare("files", shop_program.figures(truth, "user"), seen.rows("files"), key, [
        Column("file_bytes", lambda row: row["reads"]["bytes"]),
        Column("file_ends", lambda row: row["opens"])])


def main():
    test = Test()
    classes = shop_program.build(test)
    for java in test.javas:
        print(java, re.search(r'"(.*?)"', run(java, "-version").err).group(1), flush=True)
        for program, ways in (alone, ALONE), (attached, ATTACHED):
            for settings in ways:
                if possible(java, settings):
                    program(test, java, classes, settings)
    test.finish()


main()
