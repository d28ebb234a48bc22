#!/bin/sh
# Makes what Lull needs in this checkout: system packages of the groups named (run, test, ollama), a virtual
# environment in .venv with the pinned packages of constraints.txt, and Lull itself, editable.
# Quick when there is nothing to do, safe to interrupt, and everything after it works offline.
# Who may not install system packages gets all the rest, and at the end one line for somebody who may.
set -eu
cd -- "$(dirname -- "$0")/.."
root=$(pwd)
venv=.venv
. packaging/watched.sh
# A closed output is no reason to stop.
(exec 3>&2) || exec 2>/dev/null # what it says of that goes nowhere
(exec 3>&1) 2>/dev/null || exec >/dev/null
(exec 3<&0) 2>/dev/null || exec </dev/null
exec 3<&0

die() { printf '%s\n' "$@" >&2; exit 1; }

# Two marks, written last and taken away first: without its mark nothing half-made is trusted.
# They hold contents, not times, and the first also the place, because scripts in .venv name their
# path, the Python, because packages are made for one, and how many packages there were.
packages_mark=$venv/.lull-packages
project_mark=$venv/.lull-project
pinned="$root $(cksum <packaging/constraints.txt)"
project_is="$(cksum <pyproject.toml)"
count() {
    find "$venv"/lib/python3*/site-packages -maxdepth 1 -name '*.dist-info' 2>/dev/null | wc -l | tr -d ' '
}

# What stands behind a mark is on the disk before the mark is: the power may be cut.
mark() { # FILE CONTENTS
    sync -f "$venv" 2>/dev/null || sync
    printf '%s' "$2" >"$1"
}
is() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }
has_packages() { # those pinned, for the Python that is there, and no fewer than were put there
    [ -f "$packages_mark" ] && works &&
        [ "$(sed '$d' "$packages_mark")" = "$pinned
$is_python" ] && [ "$(count)" -ge "$(tail -n 1 "$packages_mark")" ]
}
which_python() { "$1" -c 'import sys; print(sys.version, sys.base_prefix)' 2>/dev/null; }
# It starts, and is the Python that was asked for, if one was.
works() {
    is_python=$(which_python "$venv/bin/python") || return 1
    [ -z "${PYTHON-}" ] || [ "$is_python" = "$(which_python "$PYTHON")" ]
}
ready() {
    is "$project_mark" "$project_is" && has_packages && [ -x "$venv/bin/lull" ]
}

# The first Python that is new enough and whole. On Debian and in CI that is python3 itself.
suits() { # it says a word, since many a program ends well whatever it is asked
    [ "$("$1" -c 'import sys, ssl, sqlite3, venv, ensurepip
print("new" if (3, 11) <= sys.version_info < (3, 15) else "old")' 2>/dev/null)" = new ]
}
find_python() {
    if [ -n "${PYTHON-}" ]; then
        python=$PYTHON
        suits "$python"
        return
    fi
    for python in python3 python3.13 python3.12 python3.11 python3.14; do
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

far_other() { if [ -s "$log" ]; then echo "waiting; there: $(far_pip)"; else echo 'waiting'; fi; }
# An earlier make as root may have left files that only root may change.
mine() { # FILE...
    me=$(id -un)
    for file; do
        if [ ! -e "$file" ] || [ -w "$file" ]; then continue; fi
        case $file in .) place=$root ;; *) place=$root/$file ;; esac
        owner=$(find "$file" -prune -user "$me")
        if [ -n "$owner" ] || [ "$(id -u)" = 0 ]; then
            die "$place cannot be written to. Is its disk mounted read-only, or the folder locked?"
        fi
        sudo=$(command -v sudo >/dev/null && echo 'sudo ' || :)
        die "$me may not write to $place, which is somebody else's. Clone Lull into a folder of your own and" \
            'make there. If an earlier make as root made it, have this line run by whoever may, then make again:' \
            '' "    ${sudo}chown -R '$me' '$root'" ''
    done
}
# One at a time: whoever comes second waits, for the first and for all that it has started. The
# system gives a lock back when its last holder is gone, however that ended.
alone() {
    mine . .venv.lock
    exec 9>>.venv.lock
    lock='import fcntl, sys; fcntl.flock(9, fcntl.LOCK_EX | int(sys.argv[1]))'
    if ! "$python" -c "$lock" 4 2>/dev/null; then
        first=$(cat .venv.lock)
        if kill -0 "${first:-0}" 2>/dev/null; then
            echo "Another make is at work on $venv here (process $first); waiting for it."
        else # whoever holds the lock was started by it
            echo "What a make that has ended left running is still at work on $venv here; waiting for it."
        fi
        watched far_other /dev/null "$python" -c "$lock" 0
    fi
    echo "$$" >.venv.lock
}

all=$(grep -c '^[a-zA-Z0-9]' packaging/constraints.txt)
log=$venv/setup.log
no_network='NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|Read timed out|ProxyError|is unreachable|SSLError'
far_pip() { # it names each package as it comes to it, and puts them all in place at its end
    if grep -q '^Installing collected' "$log"; then
        set -- "$venv"/lib/python3*/site-packages/*.dist-info
        echo "putting in place, $# packages so far"
    elif tail -n 1 "$log" | grep -Eq "$no_network"; then
        echo 'the package index does not answer; trying once more'
    else
        echo "fetching, $(grep -c '^Collecting' "$log") of $all packages so far"
    fi
}
far_old() { echo 'removing the old environment'; }
far_venv() { echo 'an empty environment first'; }
far_compiled() { echo "compiling, $(find "$venv/lib" -name '*.pyc' | wc -l | tr -d ' ') files so far"; }
far_project() { echo 'putting Lull itself in place'; }

needs_mb=1400 # what .venv is under Linux on x86-64, with what is tested and built with
free_mb() { df -Pk "$1" 2>/dev/null | awk 'NR == 2 { print int($4 / 1024) }'; }
enough_room() {
    free=$(free_mb .)
    [ "${free:-$needs_mb}" -ge "$needs_mb" ] ||
        die "There is too little room on this disk: $venv takes $needs_mb MB, and $free MB are free."
}

try() { # WHAT HOW-FAR COMMAND...: its errors are long, so it talks to a file
    what=$1
    shift
    how=$1
    shift
    if watched "$how" "$log" "$@"; then return; fi
    # The module venv fails without its reason, so ask the disk as well.
    work=${TMPDIR:-/tmp}
    here=$(free_mb .)
    there=$(free_mb "$work")
    if grep -Eq "No space left|Disk quota" "$log" ||
        [ "${here:-50}" -lt 50 ] || [ "${there:-50}" -lt 50 ]; then
        die "The disk is full: ${here:-?} MB are free for $venv and ${there:-?} MB in $work," \
            'where packages are unpacked.'
    fi
    if grep -Eq "$no_network" "$log"; then
        die "Could not fetch $what: is this machine online? Make again when it is."
    fi
    tail -n 20 "$log" >&2
    die "Could not install $what; all of it is in $log."
}

install_packages() {
    find_python || no_python
    echo "Making $venv with $("$python" --version), a minute or two"
    # From nothing rather than over the old one, so that nothing unpinned stays behind.
    # A link or a file goes alone, and what a link names stays as it is.
    if [ -L "$venv" ] || [ -f "$venv" ]; then rm -f "$venv"; fi
    if [ -d "$venv" ]; then
        mine "$venv"
        rm -f "$packages_mark" "$project_mark"
        watched far_old /dev/null rm -rf "$venv" || mine "$venv"/* "$venv"/lib/*/*
        [ ! -e "$venv" ] || die "The old environment $root/$venv cannot be removed. Remove it, then make again."
    fi
    enough_room
    mkdir -p "$venv"
    try 'an empty environment' far_venv "$python" -m venv "$venv"
    # The file is the whole closure, so pip has nothing to resolve.
    try 'the Python packages' far_pip "$venv/bin/python" -m pip --disable-pip-version-check \
        install --require-hashes --no-deps --only-binary :all: --no-compile \
        --retries "${PIP_RETRIES:-1}" --progress-bar off -r packaging/constraints.txt
    # pip would compile on one core. Some packages carry files that do not compile: those are never
    # imported. Not by compileall's own workers, which live on where it is killed.
    find "$venv/lib" -name '*.py' -print0 >"$venv/sources"
    watched far_compiled /dev/null sh -c 'exec xargs -0 -n 500 -P "$1" "$2" -m compileall -q <"$3"' \
        sh "$(getconf _NPROCESSORS_ONLN || echo 2)" "$venv/bin/python" "$venv/sources" || :
    is_python=$(which_python "$venv/bin/python")
    mark "$packages_mark" "$pinned
$is_python
$(count)"
}

install_project() {
    rm -f "$project_mark"
    echo "  $(far_project)"
    try 'Lull itself' far_project "$venv/bin/python" -m pip --disable-pip-version-check \
        install --no-deps --no-build-isolation --no-index --editable .
    # pip writes the path of this folder into the script, in a line that a shell reads.
    "$venv/bin/lull" --version >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        die "Lull is in place and does not start from $root. If its path has a sign such as \$, move the" \
            'checkout to a plainer path; then make again.'
    }
    mark "$project_mark" "$project_is"
}

# Whatever else happens, whoever lacks root is told what somebody else has to do, and once, at the end.
root_is_needed() {
    code=$?
    trap - EXIT
    line=$(sh packaging/system-packages.sh --line "$@")
    if [ -z "$line" ] || [ "$code" = 130 ]; then exit "$code"; fi
    lacks() { [ -n "$(sh packaging/system-packages.sh --line "$1")" ]; }
    if which_python "$venv/bin/python" >/dev/null && [ -x "$venv/bin/lull" ]; then
        what='its window and its speed need'
        lacks run || what='what you asked for needs more'
        echo "Lull runs, but $what system packages. Whoever has root here runs:" >&2
    else
        echo 'Lull needs system packages. Whoever has root here runs this line; then make again:' >&2
    fi
    printf '\n    %s\n\n' "$line" >&2
    # The tests are of the window, too; what only they need is skipped where it is missing. Without its
    # headers an Ollama cannot be built.
    case " $* " in *' test '*)
        if lacks run; then
            echo 'No test was run: they need the window. Make again when the line above has been run.' >&2
            code=1
        fi
        ;;
    esac
    case " $* " in *' ollama '*) ! lacks ollama || code=1 ;; esac
    exit "$code"
}

together sh packaging/system-packages.sh --later "$@" || trap 'root_is_needed "$@"' EXIT
exec 3<&-
if [ -n "${PYTHON-}" ] && ! suits "$PYTHON"; then
    die "PYTHON=$PYTHON is no Python 3.11 to 3.14 with its venv module; $venv is left as it is."
fi
if ready; then exit 0; fi
if ! find_python; then
    python=$venv/bin/python
    [ -x "$python" ] || no_python
fi
alone
if ready; then exit 0; fi
if ! has_packages; then install_packages; fi
install_project
echo "Ready: $venv/bin/lull"
