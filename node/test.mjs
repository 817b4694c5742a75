// The installed packages in node:sqlite and better-sqlite3, whichever this Node.js has. What it has not is said, and is
// an error where MUST_TEST names it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { getLoadablePath, load } from "sqlite-agent-history";

const HOME = process.env.DEMO_HOME;
const SQL = "SELECT agent, title, message_count FROM agent_sessions(?) WHERE created_at > '2026-07-20' ORDER BY created_at LIMIT 2";
const WANT = [
  { agent: "cody", title: "Slow parser", message_count: 4 },
  { agent: "zed", title: "Fix login", message_count: 8 },
];

/** A connection, or why there is none. */
const HOSTS = {
  "node:sqlite": async () => {
    const { DatabaseSync } = await import("node:sqlite");
    return new DatabaseSync(":memory:", { allowExtension: true });
  },
  "better-sqlite3": async () => {
    const { default: Database } = await import("better-sqlite3");
    return new Database(":memory:");
  },
};

for (const [name, open] of Object.entries(HOSTS)) {
  test(name, async (t) => {
    let db;
    try {
      db = await open();
    } catch (error) {
      if (process.env.MUST_TEST === name) throw error;
      t.skip(`NOT TESTED: ${error.message.split("\n")[0]}`);
      return;
    }
    load(db);
    assert.deepEqual(db.prepare(SQL).all(HOME).map((row) => ({ ...row })), WANT);
    db.close();
  });
}

test("the example of the README runs", (t) => {
  if (spawnSync(process.execPath, ["-e", "require('node:sqlite')"]).status !== 0) {
    t.skip("NOT TESTED: no node:sqlite");
    return;
  }
  const readme = readFileSync("node_modules/sqlite-agent-history/README.md", "utf8");
  writeFileSync("example.mjs", /^```js\n(.+?)^```/ms.exec(readme)[1]);
  const done = spawnSync(process.execPath, ["example.mjs"], { env: { AGENT_HISTORY_ROOT: HOME }, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  assert.match(done.stdout, /'Fix login'/);
});

test("require gives the same as import", () => {
  assert.equal(createRequire(import.meta.url)("sqlite-agent-history").getLoadablePath(), getLoadablePath());
});

test("a platform without a package is named", () => {
  const arch = Object.getOwnPropertyDescriptor(process, "arch");
  Object.defineProperty(process, "arch", { ...arch, value: "pdp11" });
  try {
    assert.throws(getLoadablePath, { message: new RegExp(`the package sqlite-agent-history-${process.platform}-pdp11 is not`) });
  } finally {
    Object.defineProperty(process, "arch", arch);
  }
});
