# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""The shop (java-tests/shop) as tests run it: a web application on a database, whose numbers are known twice. Shop runs it;
expected() has what so many requests come to, by the rules of the program; differences() compares what it has counted with that,
and with what the database has counted. figures() and compare() are for views of a profile: what was counted, by user, kind of
request and statement, beside rows of a view."""
import collections
import json
import pathlib
import re
import sys
import typing

from harness import SKIPPED, Target, run

JARS = [pathlib.Path("/usr/share/java") / f"{name}.jar" for name in
        ("h2", "tomcat10-embed-core", "tomcat10-annotations-api", "tomcat10-jdbc", "tomcat10-dbcp")]
USERS, KINDS = ("alice", "bob", "carol"), (
    "list", "detail", "list", "order", "detail", "list", "report", "order", "detail", "list")
# Of each user: the articles that are listed, and the document's bytes.
LISTED, DOCUMENT = dict(zip(USERS, (400, 300, 200))), dict(zip(USERS, (10000, 25000, 60000)))
READ_AT_ONCE = 4096
# What H2 executes beside: transactions, settings in the database's address, what its driver asks a server.
OTHERS = ("COMMIT", "ROLLBACK", "SET ", "SELECT ISOLATION_LEVEL ", "SELECT SETTING_NAME, ")
# Statements that are not prepared.
PLAIN = ("list", "stock", "totals")


# --- the program ---

def build(test):
    """Compiles it, for all JDKs, with the first one; the classes' folder. Without its libraries the test is skipped."""
    missing = [str(jar) for jar in JARS if not jar.exists()]
    if missing:
        print(f"not run: there is no {', '.join(missing)} here")
        sys.exit(SKIPPED)
    classes = test.work / "shop"
    done = run(pathlib.Path(test.javas[0]).parent / "javac", "--release", 17, "-XDsuppressNotes",
               "-cp", path(), "-d", classes, *sorted((test.source / "java-tests/shop").rglob("*.java")))
    if done.status != 0:
        test.fail(str(done))
        test.finish()
    return classes


def path(*classes):
    return ":".join(str(entry) for entry in (*classes, *JARS))


class Shop(Target):
    """It runs, and serves when it is told to. Settings: those of Settings.java."""

    def __init__(self, test, java, classes, *jvm, **settings):
        super().__init__(test, java, *jvm, "-Djava.util.logging.config.file=/dev/null", "-cp", path(classes),
                         "com.acme.shop.Shop", *(f"{key}={value}" for key, value in settings.items()))

    def serve(self, requests):
        """So many; the nanoseconds that they took together."""
        return self.counts("serve", requests)["ns"]

    def forget(self):
        self.tell("forget")

    def truth(self):
        """What was done since."""
        return json.loads(self.tell("truth")[0])


# --- what has to come out ---

def expected(requests):
    """By the rules of the program alone: (user, kind): Counter, and (user, kind, statement): Counter."""
    work, sql = (collections.defaultdict(collections.Counter) for _ in range(2))
    for number in range(requests):
        user, kind = USERS[number % 3], KINDS[number // 3 % 10]

        def add(name, user=user, kind=kind, **numbers):
            sql[user, kind, name].update({"statements": 1, "executions": 1} | numbers)

        work[user, kind]["requests"] += 1
        if kind == "list":
            add("list", rows=LISTED[user])
        if kind in ("detail", "order"):
            add("detail", rows=1)
        if kind == "order":
            add("purchase", updated=1)
            if number // 30 % 5 == 0:  # what is sold out
                add("stock", executions=0, failed=1)
                work[user, kind]["rollbacks"] += 1
            else:
                lines = 3 + number % 3
                add("stock", updated=1)
                add("line", executions=0, batches=1, batch_entries=lines, updated=lines)
                work[user, kind]["commits"] += 1
        if kind == "report":
            add("totals", rows=10)
            add("prices", executions=2, rows=1500)
            work[user, kind].update(file_reads=-(-DOCUMENT[user] // READ_AT_ONCE), file_bytes=DOCUMENT[user],
                                    file_ends=1)
    return work, sql


def numbers_of(row):
    """The counts of a row that are not zero."""
    return {key: value for key, value in row.items() if isinstance(value, int) and value}


def differences(truth, requests):
    """Lines: where the program has counted otherwise than expected(requests), or H2 otherwise than the program."""
    work, sql = expected(requests)
    for what, wanted, rows, key in (
            ("work", work, truth["work"], ("user", "kind")),
            ("sql", sql, truth["sql"], ("user", "kind", "name"))):
        found = {tuple(row[column] for column in key): numbers_of(row) for row in rows}
        for each in sorted(wanted.keys() | found.keys()):
            if found.get(each) != numbers_of(wanted.get(each, {})):
                yield f"{what} {each}: expected {dict(wanted.get(each, {}))}, counted {found.get(each)}"
    yield from truth["wrong"]
    sums = figures(truth, "name")
    for row in truth["h2"]:
        counted = sums.get((row["name"],), collections.Counter())
        if (row["executions"], row["rows"]) != (counted["executions"] + counted["batch_entries"],
                                                counted["rows"] + counted["updated"]):
            yield f"H2 has {row}, counted {dict(counted)}"
    for text in truth["h2_others"]:
        if not text.startswith(OTHERS):
            yield f"H2 has executed, and nobody counted: {text}"


# --- what views of a profile have to have ---

def figures(truth, *keys):
    """What was counted, as views have it: a dictionary from the values of the keys (user, kind, shape, name) to a Counter. With shape
    or name among the keys it is of the statements, otherwise of the work.
    calls: calls that hand the statement to the database (batches are one); of the work: requests. wall: ns of these calls."""
    rows = truth["sql" if {"shape", "name"} & set(keys) else "work"]
    sums = collections.defaultdict(collections.Counter)
    for row in rows:
        calls = [name for name in ("executions", "failed", "batches", "requests") if name in row]
        sums[tuple(row[key] for key in keys)].update(numbers_of(row) | {
            "calls": sum(row[name] for name in calls),
            "wall": sum(row["ns"].get(name, 0) for name in calls)})
    return dict(sums)


class Column(typing.NamedTuple):
    """A figure, where it is in a row of a view, and which part of what was counted it is at least and at most."""
    figure: str
    found: typing.Callable
    least: float = 1
    most: float = 1


def compare(what, wanted, rows, key, columns):
    """Lines: which of the wanted (a dictionary as of figures) the rows of a view lack, have besides or otherwise.
    key(row): the row's key; None: it is about something else. Rows of one key are summed up."""
    found = collections.defaultdict(collections.Counter)
    for row in rows:
        if key(row) is not None:
            found[key(row)].update({column.figure: column.found(row) for column in columns})
    for each in sorted(wanted.keys() - found.keys()):
        yield f"{what}: no row of {each}"
    for each in sorted(found.keys() - wanted.keys(), key=str):
        yield f"{what}: nothing was counted of {each}: {dict(found[each])}"
    for each in sorted(wanted.keys() & found.keys()):
        for column in columns:
            value, number = found[each][column.figure], wanted[each][column.figure]
            if not column.least * number <= value <= column.most * number:
                yield f"{what}: {each}: {column.figure}: {value}, counted {number}"


def shape_of(text):
    """A statement's text as jprof keeps it: lists of values are one."""
    return re.sub(r"\(\?(, \?)+\)", "(?, ...)", text)


def by_shape(figures):
    return {(*key[:-1], shape_of(key[-1])): each for key, each in figures.items()}


def executions_wall(row):
    return sum(method["cum"]["wall"] for method in row["methods"] if method["method"].startswith("execute"))


# The shop's time of a call lies around jprof's, whose own cost is taken out; threads may have to wait in between.


def compare_values(what, truth, rows, parameter, user=None):
    """The view of values, of the parameter that is a statement's text; of one user, if it is chosen."""
    wanted = by_shape(figures(truth, "user", "shape"))
    wanted = by_shape(figures(truth, "shape")) if user is None else {
        key[1:]: each for key, each in wanted.items() if key[0] == user}

    def key(row):
        return (row["value"],) if row["parameter"] == parameter and row["value"] is not None else None

    return compare(what, wanted, rows, key, [
        Column("calls", lambda row: row["calls"]),
        Column("rows", lambda row: row["rows"]),
        Column("wall", executions_wall, least=0.1, most=1.05)])


def compare_tags(what, truth, rows, tag):
    """The view of tags, of the tag that is the user, or the kind of request."""
    return compare(what, figures(truth, tag), rows,
                   lambda row: (row["value"],) if row["key"] == tag and row["value"] is not None else None, [
                       Column("wall", lambda row: row["cum"]["wall"], least=0.5, most=3),
                       Column("file_bytes", lambda row: row["reads"]["bytes"])])


def secrets_in(truth, profile):
    """Secrets of the statements that can be read in the file: there must be none."""
    text, number = (re.escape(truth["secrets"][kind]).encode() for kind in ("text", "number"))
    return re.findall(text + rb"[0-9a-f]+|" + number + rb"[0-9]{12}", pathlib.Path(profile).read_bytes())
