"""The files of a release, as scripts/release.sh leaves them: names, checksums, and what the library asks of a system."""

import hashlib
import io
import json
import re
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
VERSION = re.search(r'^version = "(.+)"$', (PROJECT / "Cargo.toml").read_text(), re.MULTILINE)[1]
RELEASE = PROJECT / "target" / f"release-{VERSION}"


def one(pattern):
    """The only file of that name in the release."""
    file, = RELEASE.glob(pattern)
    return file


class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def library(self):
        """The archive's library, unpacked."""
        with tarfile.open(one("*.tar.gz")) as archive:
            name, = [name for name in archive.getnames() if re.fullmatch(r"\./agent_history\.(so|dylib|dll)", name)]
            (self.folder / name).write_bytes(archive.extractfile(name).read())
        return self.folder / name

    def test_the_checksums_are_those_of_every_file(self):
        listed = [line.split() for line in (RELEASE / "checksums.txt").read_text().splitlines()]
        want = {f"./{file.name}": hashlib.sha256(file.read_bytes()).hexdigest()
                for file in RELEASE.iterdir() if file.suffix in {".gz", ".tgz", ".whl"}}
        self.assertEqual({name: sum for sum, name in listed}, want)
        self.assertEqual(len(want), 4)

    def test_every_file_is_of_the_version(self):
        for file in RELEASE.iterdir():
            if file.name not in {"checksums.txt", "sqlpkg.json"}:
                self.assertIn(VERSION, file.name)
        package = json.loads((RELEASE / "sqlpkg.json").read_text())
        self.assertEqual(package["version"], VERSION)
        self.assertIn(one("*.tar.gz").name, package["assets"]["files"].values())
        with tarfile.open(one(f"sqlite-agent-history-{VERSION}.tgz")) as archive:
            main = json.load(archive.extractfile("package/package.json"))
        self.assertEqual({main["version"], *main["optionalDependencies"].values()}, {VERSION})

    @unittest.skipUnless(hasattr(sqlite3.Connection, "enable_load_extension"), "NOT TESTED: this Python cannot load")
    def test_the_archives_library_is_loaded_by_its_name(self):
        conn = sqlite3.connect(":memory:")
        conn.enable_load_extension(True)
        conn.load_extension(str(self.library().with_suffix("")))
        found, = conn.execute("SELECT agent_history_version()").fetchone()
        conn.close()
        self.assertIn(VERSION, found)

    def test_the_archive_the_wheel_and_the_npm_package_carry_the_same_library(self):
        library = self.library().read_bytes()
        with zipfile.ZipFile(one("*.whl")) as wheel:
            name, = [name for name in wheel.namelist() if name.startswith("sqlite_agent_history/agent_history.")]
            self.assertEqual(hashlib.sha256(wheel.read(name)).digest(), hashlib.sha256(library).digest())
        platform, = [file for file in RELEASE.glob("*.tgz") if file.name != f"sqlite-agent-history-{VERSION}.tgz"]
        with tarfile.open(platform) as package:
            name, = [name for name in package.getnames() if name.startswith("package/agent_history.")]
            self.assertEqual(package.extractfile(name).read(), library)

    @unittest.skipUnless(sys.platform == "linux", "glibc is Linux's")
    def test_the_wheels_tag_promises_what_the_library_needs(self):
        symbols = subprocess.run(["objdump", "-T", self.library()], capture_output=True, text=True, check=True).stdout
        needed = max(tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([0-9.]+)", symbols))
        with zipfile.ZipFile(one("*.whl")) as wheel:
            name, = [name for name in wheel.namelist() if name.endswith(".dist-info/WHEEL")]
            tags = re.findall(r"^Tag: (\S+)", io.TextIOWrapper(wheel.open(name)).read(), re.MULTILINE)
        self.assertTrue(all(tag.startswith("py3-none-") for tag in tags), tags)
        promised = [tuple(map(int, version)) for tag in tags for version in re.findall(r"manylinux_(\d+)_(\d+)_", tag)]
        if needed <= (2, 17):
            self.assertEqual(promised, [(2, 17)], f"{tags} of a library that needs no more than glibc {needed}")
        else:
            self.assertEqual(promised, [], f"{tags}, but the library needs glibc {needed}")


if __name__ == "__main__":
    unittest.main()
