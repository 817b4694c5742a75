"use strict";
// Finds the library of this platform, which an optional dependency carries, and loads it.

const { dirname, join } = require("node:path");

const SUFFIXES = { linux: "so", darwin: "dylib", win32: "dll" };

/** Path of the library for a connection's loadExtension. Throws where no package is installed for this platform. */
function getLoadablePath() {
  const name = `sqlite-agent-history-${process.platform}-${process.arch}`;
  let folder;
  try {
    folder = dirname(require.resolve(`${name}/package.json`));
  } catch (cause) {
    throw new Error(
      `sqlite-agent-history: the package ${name} is not installed. Either there is none for this platform, ` +
        "or optional dependencies were left out (npm install --include=optional)",
      { cause },
    );
  }
  return join(folder, `agent_history.${SUFFIXES[process.platform]}`);
}

/** Loads the extension into a connection of better-sqlite3, or of node:sqlite with `allowExtension: true`. */
function load(db) {
  db.loadExtension(getLoadablePath());
}

module.exports = { getLoadablePath, load };
