#!/bin/sh
# Makes what Lull needs in this checkout: system packages of the groups named (run, test), a virtual
# environment in .venv with the pinned packages of constraints.txt, and Lull itself, editable.
# Quick when there is nothing to do, safe to interrupt, and everything after it works offline.
# Who may not install system packages gets all the rest, and at the end one line for somebody who may.
set -eu
cd -- "$(dirname -- "$0")/.."
root=$(pwd)
venv=.venv
. packaging/watched.sh

die() { printf '%s\n' "$@" >&2; exit 1; }

# Two marks, written last and taken away first: without its mark nothing half-made is trusted.
# They hold contents, not times, and the first also the place: scripts in .venv name their path.
packages_mark=$venv/.lull-packages
project_mark=$venv/.lull-project
packages_are="$root $(cksum <packaging/constraints.txt)"
project_is="$(cksum <pyproject.toml)"

# What stands behind a mark is on the disk before the mark is: the power may be cut.
mark() { # FILE CONTENTS
    sync -f "$venv" 2>/dev/null || sync
    printf '%s' "$2" >"$1"
}
is() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }
which_python() { "$1" -c 'import sys; print(sys.version, sys.base_prefix)' 2>/dev/null; }
# It starts, and is the Python that was asked for, if one was.
works() {
    is_python=$(which_python "$venv/bin/python") || return 1
    [ -z "${PYTHON-}" ] || [ "$is_python" = "$(which_python "$PYTHON")" ]
}
ready() {
    is "$packages_mark" "$packages_are" && is "$project_mark" "$project_is" && works &&
        [ -x "$venv/bin/lull" ]
}

# The first Python that is new enough and whole. On Debian and in CI that is python3 itself.
suits() {
    "$1" -c 'import sys, ssl, sqlite3, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' \
        >/dev/null 2>&1
}
find_python() {
    for python in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14}; do
        if suits "$python"; then return; fi
    done
    return 1
}
no_python() {
    # What is said at the end names it, too.
    case $(sh packaging/system-packages.sh --line run) in *' python3'*) exit 1 ;; esac
    case $(uname) in
    Darwin) die 'Lull needs Python 3.11 or later. Run this line, then make again:' '' \
        '    brew install python@3.13' '' ;;
    *) die 'Lull needs Python 3.11 to 3.14 with its venv module. Install one, then make again' \
        '(or name it: make PYTHON=/path/to/python3).' ;;
    esac
}

# One at a time: whoever comes second waits, for the first and for all that it has started. The
# system gives a lock back when its last holder is gone, however that ended.
alone() {
    exec 9>>.venv.lock
    lock='import fcntl, sys; fcntl.flock(9, fcntl.LOCK_EX | int(sys.argv[1]))'
    if ! "$python" -c "$lock" 4 2>/dev/null; then
        echo "Another make is at work on $venv here (process $(cat .venv.lock)); waiting for it."
        watched : /dev/null "$python" -c "$lock" 0
    fi
    echo "$$" >.venv.lock
}

far() { # pip names each package as it comes to it, and puts them all in place at its end
    if grep -q '^Installing collected' "$venv/setup.log"; then
        set -- "$venv"/lib/python3*/site-packages/*.dist-info
        echo "putting in place, $# packages so far"
    else
        echo "fetching, $(grep -c '^Collecting' "$venv/setup.log") of $all packages so far"
    fi
}
all=$(grep -c '^[a-zA-Z0-9]' packaging/constraints.txt)

pip() { # WHAT ARGUMENTS...: pip is chatty and its errors long, so it talks to a file
    what=$1
    shift
    log=$venv/setup.log
    if watched far "$log" "$venv/bin/python" -m pip --disable-pip-version-check "$@"; then return; fi
    if grep -Eq 'NewConnectionError|NameResolutionError|ConnectTimeout|is unreachable' "$log"; then
        die "Could not fetch $what: is this machine online? Make again when it is."
    fi
    tail -n 20 "$log" >&2
    die "Could not install $what; all of it is in $log."
}

install_packages() {
    find_python || no_python
    echo "Making $venv with $("$python" --version), a minute or two"
    # From nothing rather than over the old one, so that nothing unpinned stays behind.
    rm -f "$packages_mark" "$project_mark"
    rm -rf "$venv"
    "$python" -m venv "$venv"
    # The file is the whole closure, so pip has nothing to resolve. It would byte-compile on one core;
    # compileall uses them all. Some packages carry files that do not compile: those are never imported.
    pip 'the Python packages' install --require-hashes --no-deps --only-binary :all: --no-compile \
        --retries 2 --progress-bar off -r packaging/constraints.txt
    echo '  compiling them'
    "$venv/bin/python" -m compileall -q -j 0 "$venv/lib" >/dev/null 2>&1 || :
    mark "$packages_mark" "$packages_are"
}

install_project() {
    rm -f "$project_mark"
    pip 'Lull itself' install --no-deps --no-build-isolation --no-index --editable .
    mark "$project_mark" "$project_is"
}

# Whatever else happens, whoever lacks root is told what somebody else has to do, and once, at the end.
root_is_needed() {
    code=$?
    trap - EXIT
    line=$(sh packaging/system-packages.sh --line "$@")
    if [ -z "$line" ] || [ "$code" = 130 ]; then exit "$code"; fi
    if which_python "$venv/bin/python" >/dev/null && [ -x "$venv/bin/lull" ]; then
        echo 'Lull runs, but its window and its speed need system packages. Whoever has root here runs:' >&2
    else
        echo 'Lull needs system packages. Whoever has root here runs this line; then make again:' >&2
    fi
    printf '\n    %s\n\n' "$line" >&2
    # The tests are of the window, too. What only they need is skipped where it is missing.
    case " $* " in *' test '*) [ -z "$(sh packaging/system-packages.sh --line run)" ] || code=1 ;; esac
    exit "$code"
}

sh packaging/system-packages.sh --later "$@" || trap 'root_is_needed "$@"' EXIT
if [ -n "${PYTHON-}" ] && ! suits "$PYTHON"; then
    die "PYTHON=$PYTHON is no Python 3.11 to 3.14 with its venv module; $venv is left as it is."
fi
if ready; then exit 0; fi
find_python || python=$venv/bin/python
[ -x "$python" ] || command -v "$python" >/dev/null || no_python
alone
if ready; then exit 0; fi
if ! is "$packages_mark" "$packages_are" || ! works; then install_packages; fi
install_project
echo "Ready: $venv/bin/lull"
