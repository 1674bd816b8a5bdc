# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""The views of a profile, as `jprof report` prints them in JSON; each is asked for once."""
import functools
import json
import subprocess


class Refused(Exception):
    """jprof report failed, or complained."""


class Views:
    """Of one profile, adjusted by the calibration file, or not at all."""

    def __init__(self, jprof, profile, calibration="off"):
        self.jprof, self.profile, self.calibration = str(jprof), str(profile), str(calibration)

    def run(self, view):
        return subprocess.run([self.jprof, "report", self.profile, "--view", view, "--format",
                               "json", "--calibration", self.calibration], capture_output=True,
                              text=True, errors="surrogateescape", check=False)

    @functools.cache
    def __getitem__(self, view):
        """The whole object of the view."""
        done = self.run(view)
        if done.returncode != 0 or done.stderr:
            raise Refused(f"jprof report --view {view} --calibration {self.calibration}: "
                          f"exit status {done.returncode}: {done.stderr[:1000]}")
        return json.loads(done.stdout)

    def rows(self, view):
        return self[view]["rows"]

    @functools.cached_property
    def fact(self):
        """The summary: values by key."""
        return {row["key"]: row["value"] for row in self.rows("summary")}
