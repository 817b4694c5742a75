"""Puts the built library and the project's SQL files into the wheel, and names the platform that they are for.

`make wheel` calls it. AGENT_HISTORY_LIBRARY is the library; AGENT_HISTORY_PLATFORM the wheel's platform tag where the
library runs on more than this machine (`manylinux_2_17_x86_64`).
"""

import os
import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

PROJECT = Path(__file__).resolve().parent.parent
# With this stem SQLite finds the entry point by the file's name.
STEM = "agent_history"


def version():
    """The version, which stands in Cargo.toml and nowhere else."""
    return re.search(r'^version = "(.+)"$', (PROJECT / "Cargo.toml").read_text(), re.MULTILINE).group(1)


class Platform(Distribution):
    """A distribution that is not the same on every platform."""

    def has_ext_modules(self):
        return True


class Build(build_py):
    """Adds the library and the SQL files to the modules."""

    def run(self):
        super().run()
        package = Path(self.build_lib) / "sqlite_agent_history"
        library = PROJECT / os.environ["AGENT_HISTORY_LIBRARY"]
        shutil.copy(library, package / (STEM + library.suffix))
        sql = package / "sql"
        (sql / "examples").mkdir(parents=True, exist_ok=True)
        for name in ["browse.sql", "materialize.sql"]:
            shutil.copy(PROJECT / "sql" / name, sql)
        for example in (PROJECT / "sql" / "examples").glob("*.sql"):
            shutil.copy(example, sql / "examples")


class Wheel(bdist_wheel):
    """Any Python 3 will do: the library knows SQLite, not Python."""

    def get_tag(self):
        platform = os.environ.get("AGENT_HISTORY_PLATFORM") or super().get_tag()[2]
        return "py3", "none", platform


setup(version=version(), distclass=Platform, cmdclass={"build_py": Build, "bdist_wheel": Wheel})
