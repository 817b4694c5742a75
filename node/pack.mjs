// Writes the npm packages into target/node: `node node/pack.mjs LIBRARY`, as `make node` does.
// The version is Cargo.toml's; the platform is the one that this runs on, or NODE_PLATFORM (`darwin-arm64`).

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"];

const source = dirname(fileURLToPath(import.meta.url));
const project = dirname(source);
const target = join(project, "target", "node");
const version = /^version = "(.+)"$/m.exec(readFileSync(join(project, "Cargo.toml"), "utf8"))[1];
const platform = process.env.NODE_PLATFORM ?? `${process.platform}-${process.arch}`;
const library = process.argv[2];

const main = { ...JSON.parse(readFileSync(join(source, "package.json"), "utf8")), version };
main.optionalDependencies = Object.fromEntries(PLATFORMS.map((name) => [`${main.name}-${name}`, version]));
const carrier = {
  name: `${main.name}-${platform}`,
  version,
  description: `${main.description}: the library for ${platform}`,
  license: main.license,
  os: [platform.split("-")[0]],
  cpu: [platform.split("-")[1]],
  files: [`agent_history${extname(library)}`],
};

write(main, [...main.files, "README.md"].map((name) => join(source, name)));
write(carrier, [library]);

/** A package's folder: its package.json, its files, the licenses. */
function write(manifest, files) {
  const folder = join(target, manifest.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, null, 2) + "\n");
  for (const file of [...files, join(project, "LICENSE-MIT"), join(project, "LICENSE-APACHE")]) {
    copyFileSync(file, join(folder, basename(file).replace(/^libagent_history/, "agent_history")));
  }
}
