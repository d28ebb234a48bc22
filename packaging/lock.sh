#!/bin/sh
# Writes packaging/constraints.txt again: every Python package Lull is built, run and tested with,
# for every platform, with exact versions and hashes, and no address of a registry. Versions already
# in the file stay where pyproject.toml still allows them; `sh packaging/lock.sh --upgrade` lets go.
# Behind them stand the wheels of extra-wheels.txt, whose own dependencies are not wanted.
set -eu
cd -- "$(dirname -- "$0")/.."

uv='uv==0.13.8'
file=packaging/constraints.txt

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

python=.venv/bin/python
[ -x "$python" ] || python=python3
"$python" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check "$uv"

# The build backend is pinned too, so that an editable install fetches nothing that has no hash.
# hatchling asks for editables when the install is editable.
"$work/venv/bin/python" - >"$work/build-system" <<'PYTHON'
import pathlib, tomllib
pyproject = tomllib.loads(pathlib.Path("pyproject.toml").read_text(encoding="utf-8"))
print(*pyproject["build-system"]["requires"], "editables>=0.5", sep="\n")
PYTHON

[ ! -f "$file" ] || cp "$file" "$work/constraints.txt"
"$work/venv/bin/uv" pip compile pyproject.toml - --group dev --universal --python-version 3.11 \
    --generate-hashes --no-header --no-emit-index-url --no-emit-find-links --no-annotate --quiet \
    --output-file "$work/constraints.txt" "$@" <"$work/build-system" >/dev/null

if grep -n '://' "$work/constraints.txt"; then
    printf 'The lines above name a host; %s is left as it was.\n' "$file" >&2
    exit 1
fi
{
    printf '# Every Python package of Lull, for every platform. Made by packaging/lock.sh; do not edit.\n'
    cat "$work/constraints.txt"
    grep -v '^#' packaging/extra-wheels.txt
} >"$work/new"
cp "$work/new" "$file"
printf '%s: %s packages\n' "$file" "$(grep -c '^[a-zA-Z0-9]' "$file")"
