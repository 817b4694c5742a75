"""Every command that the READMEs and docs print runs, here or in a step of CI that is named here.

The commands are read from the files, so that a new one without a test fails. Those of SKILL.md run in test_wheel.
"""

import os
import re
import shlex
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path
from unittest import mock

import sqlite_agent_history
from homes import DEMO

PROJECT = Path(__file__).resolve().parent.parent.parent
FILES = ["README.md", "python/README.md", "node/README.md", "docs/building.md", "docs/performance.md",
         "docs/troubleshooting.md"]
PROGRAMS = {"make", "pip", "python", "python3", "npm", "node", "cargo", "sqlite3", "datasette", "scripts/release.sh",
            "xcode-select", "xattr", "$(brew"}
# Command -> how the line of .ci/run, the Makefile or the workflow begins that runs it or more.
ELSEWHERE = {
    "make test": "make test",
    "make check": "# The same as `make check`,",
    "make node": "test-node: node",
    "make test-packages": "make test-packages",
    "pip install ziglang cargo-zigbuild": "run: pip install ziglang cargo-zigbuild",
    "scripts/release.sh": "scripts/release.sh",
}
# Command -> why no test runs it.
NOT_RUN = {
    "sudo apt-get install -y build-essential curl sqlite3 python3-venv": "changes the machine; CI installs the same",
    "curl -sSf https://sh.rustup.rs | sh -s -- -y && . ~/.cargo/env": "changes the machine; CI has Rust",
    "make shell": "optimises for minutes; `make demo` builds the same program unoptimised",
    "pip install sqlite-agent-history": "for the day when it is published; the README's own line installs the built wheel",
    "pip install 'sqlite-agent-history[shell]'": "for the day when it is published; test-python installs it with [shell]",
    "pip install apsw": "test-python installs it as the extra [shell]",
    "python -m sqlite_agent_history": "waits for a person's input; test_wheel feeds it",
    "datasette --setting sql_time_limit_ms 60000 --setting facet_time_limit_ms 10000": "`make datasette` runs with these",
    "$(brew --prefix sqlite)/bin/sqlite3": "macOS only",
    "xcode-select --install": "macOS only",
    "xattr -d com.apple.quarantine agent_history.dylib": "macOS only",
    "cargo build --release --lib": "`make` is this",
    "make bench": "measures for minutes; `make lint` compiles it",
}


def commands(text):
    """(command, its input) of the fenced blocks and of the code in the lines between them."""
    found = []
    for block in re.findall(r"^```(?:console|sh)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((re.sub(r"\s{2,}# .*", "", line[2:]).strip(), ""))
            elif line.startswith("sqlite> "):
                found[-1] = (found[-1][0], found[-1][1] + line[8:] + "\n")
            else:
                raise ValueError(f"neither a command nor its input: {line!r}")
    for code in spans(text):
        # The name of a program alone is a word of the text, but for these two.
        if code.split()[0] in PROGRAMS and (" " in code or code in {"make", "scripts/release.sh"}):
            found.append((code, ""))
    return found


def spans(text):
    """The code in the lines between the fenced blocks."""
    prose = re.sub(r"^```.*?^```|``.+?``", "", text, flags=re.MULTILINE | re.DOTALL)
    return [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", prose)]


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.home = Path(folder.name)
        # Debian's Python before one that cannot load extensions, then this environment for the wheel's commands.
        path = f"{Path(sys.executable).parent}{os.pathsep}/usr/bin{os.pathsep}{os.environ['PATH']}"
        cls.environment = {**os.environ, "AGENT_HISTORY_ROOT": DEMO, "PATH": path}

    def run_line(self, line, stdin=""):
        """Runs a line as a person would in the repository, with another folder for `~`."""
        home = self.home if line == "make skill" else os.environ.get("HOME", "/")
        folder = self.home if line.startswith("python ") else PROJECT
        done = subprocess.run(line.replace("~/", f"{self.home}/"), shell=True, cwd=folder, input=stdin, text=True,
                              capture_output=True, env={**self.environment, "HOME": str(home)}, timeout=1800)
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}{done.stderr}")
        return done.stdout

    def test_every_command_runs(self):
        found = [command for name in FILES for command in commands((PROJECT / name).read_text(encoding="utf-8"))]
        steps = [line.strip() for name in [".ci/run", "Makefile", ".github/workflows/release.yml"]
                 for line in (PROJECT / name).read_text(encoding="utf-8").splitlines()]
        for command, step in ELSEWHERE.items():
            self.assertTrue(any(f"{line} ".startswith(f"{step} ") for line in steps), command)
        left = dict.fromkeys([*ELSEWHERE, *NOT_RUN])
        printed = {}
        for command, stdin in found:
            left.pop(command, None)
            if command in ELSEWHERE or command in NOT_RUN or command in printed:
                continue
            with self.subTest(command):
                printed[command] = self.open_datasette() if command == "make datasette" else self.run_line(command, stdin)
        self.assertEqual(list(left), [], "printed nowhere any more")
        self.check(printed)

    def check(self, printed):
        """What the commands of the README did."""
        shown = "".join(printed.values())
        for words in ["=== The demo home", "threads.db", "zed,2026-", "sessions_rewritten", "what a change must pass"]:
            self.assertIn(words, shown)
        self.assertTrue((self.home / ".agents/skills/agent-history/SKILL.md").exists())
        self.assertTrue((self.home / "history.db").exists())
        self.assertTrue((self.home / "history/agent_sessions.parquet").exists())

    def open_datasette(self):
        """`make datasette`, with a port in the place of the browser."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        make = subprocess.Popen(["make", "datasette", f"OPEN=--port {port}"], cwd=PROJECT, env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.addCleanup(make.stdout.close)
        self.addCleanup(make.wait)
        # The whole group: make does not end what it started.
        self.addCleanup(os.killpg, make.pid, 15)
        for _ in range(1800):
            self.assertIsNone(make.poll(), "make datasette ended")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/agents/agent_sessions", timeout=60) as page:
                    text = page.read().decode()
                    self.assertIn("Fix login", text)
                    return text
            except OSError:
                time.sleep(1)
        raise TimeoutError("make datasette does not answer")

    def test_every_statement_runs(self):
        conn = sqlite3.connect(":memory:")
        self.addCleanup(conn.close)
        sqlite_agent_history.load(conn)
        found = [code for name in [*FILES, "skills/agent-history/SKILL.md"]
                 for code in spans((PROJECT / name).read_text(encoding="utf-8")) if code.startswith("SELECT ")]
        self.assertGreater(len(found), 4)
        for code in found:
            with self.subTest(code), mock.patch.dict(os.environ, AGENT_HISTORY_ROOT=DEMO):
                self.assertTrue(conn.execute(code.replace("/mnt/image/home/ana", DEMO)).fetchall())

    def test_the_python_of_its_readme_runs(self):
        text = (PROJECT / "python" / "README.md").read_text(encoding="utf-8")
        code, = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        *lines, last = code.splitlines()
        script = "\n".join([*lines, f"print({last})"])
        self.assertIn("Fix login", self.run_line(f"python -c {shlex.quote(script)}"))


if __name__ == "__main__":
    unittest.main()
