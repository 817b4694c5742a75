#!/bin/sh
# Builds what a release of this platform publishes, into target/release-<version>: an archive with the library, the
# wheel, the npm packages, checksums.txt, sqlpkg.json. Publishes nothing. The version is Cargo.toml's.
#
#   scripts/release.sh                  this machine's platform
#   AGENT_HISTORY_URL=https://…         where sqlpkg.json says that the archives will be
set -eu
cd "$(dirname "$0")/.."

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
out=target/release-$version
library=$(make --silent library)

# A library built here asks for this machine's glibc; zig links against one that older systems have.
if [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] && command -v cargo-zigbuild >/dev/null; then
	cargo zigbuild --release --lib --target x86_64-unknown-linux-gnu.2.17
	library=target/x86_64-unknown-linux-gnu/release/$(basename "$library")
	export AGENT_HISTORY_PLATFORM=manylinux_2_17_x86_64.manylinux2014_x86_64
else
	echo 'A plain build: it needs a system C library as new as this machine has (cargo-zigbuild: glibc 2.17)' >&2
	make build
fi

case $(uname -s) in
Linux) system=linux ;;
Darwin) system=macos ;;
*) system=windows ;;
esac
case $(uname -m) in
arm64 | aarch64) machine=aarch64 ;;
*) machine=x86_64 ;;
esac
archive=agent-history-$version-loadable-$system-$machine.tar.gz

rm -rf "$out" && mkdir -p "$out/archive/sql"
# Under this stem SQLite finds the entry point, on every platform.
cp "$library" "$out/archive/agent_history.${library##*.}"
cp README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$out/archive"
cp -R sql/. "$out/archive/sql"
# The same input gives the same archive where tar can do that.
if tar --version 2>/dev/null | grep -q GNU; then
	sorted='--sort=name --owner=0 --group=0 --numeric-owner --mtime=@0'
fi
# shellcheck disable=SC2086 # several options
tar -C "$out/archive" ${sorted:-} -cf - . | gzip -n >"$out/$archive"
rm -r "$out/archive"

make -o build LIBRARY="$library" wheel node
cp target/wheel/*.whl "$out"
for package in target/node/sqlite-agent-history*; do
	(cd "$out" && npm pack --silent "../../$package" >/dev/null)
done

cat >"$out/sqlpkg.json" <<JSON
{
  "owner": "agent-history",
  "name": "agent-history",
  "version": "$version",
  "description": "The local history of AI coding agents (Zed, Sourcegraph Cody) as SQLite tables",
  "symbols": ["agent_messages", "agent_sessions", "agent_tool_calls", "agent_edits", "zed_document"],
  "licenses": ["MIT", "Apache-2.0"],
  "assets": {
    "path": "${AGENT_HISTORY_URL:-https://example.com/releases}/$version",
    "files": {
      "linux-amd64": "agent-history-$version-loadable-linux-x86_64.tar.gz",
      "darwin-amd64": "agent-history-$version-loadable-macos-x86_64.tar.gz",
      "darwin-arm64": "agent-history-$version-loadable-macos-aarch64.tar.gz",
      "windows-amd64": "agent-history-$version-loadable-windows-x86_64.tar.gz"
    }
  }
}
JSON
if command -v sha256sum >/dev/null; then sum=sha256sum; else sum='shasum -a 256'; fi
(cd "$out" && $sum ./*.tar.gz ./*.tgz ./*.whl >checksums.txt && cat checksums.txt)
