#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""A shop for three users, a web application on a database (java-tests/shop): what it counts of its work is what its rules come to
and what the database counts, through each pool, in proxies, on virtual threads; and it finds what was not counted. Attached to
while it serves, jprof has its requests, its calls of JDBC and the bytes of its documents, changes nothing of it, and has none of its
secrets."""
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
               *(word for name in DRIVER for word in ("--include", name)),
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
                 *(line for user in USERS for line in of_user(test, truth, profile, user))):
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
