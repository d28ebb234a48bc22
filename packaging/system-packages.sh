#!/bin/sh
# Sees to the system packages of the groups named (run, test, ollama) in system-packages.txt.
# Debian and its relatives only: elsewhere the Python wheels bring all they need, so it does nothing.
# Installs with apt as root or through sudo; where it may not, or apt fails, it says so with the one
# line to run, and fails. `--line` first: prints only that line, and nothing where none of the groups
# named lacks anything. `--later` first: does not print it, because setup.sh does at its end.
# LULL_SYSTEM_PACKAGES=no leaves them alone, for who has the same things from elsewhere.
set -eu

here=$(dirname -- "$0")
list=$here/system-packages.txt
if [ "${LULL_SYSTEM_PACKAGES-}" = no ] || ! command -v dpkg-query >/dev/null 2>&1; then exit 0; fi
. "$here/watched.sh"

how=
case ${1-} in --*)
    how=$1
    shift
    ;;
esac

missing_of() { # GROUP...: prints which of their packages are not here
    wanted=
    for group; do
        wanted="$wanted $(sed 's/#.*//' "$list" |
            awk -v group="[$group]" '/^\[/ { on = ($1 == group); next } on && NF { print $1 }')"
    done
    # Where a library was rebuilt for 64-bit time (Ubuntu 24.04, Debian 13) its name ends in t64.
    # shellcheck disable=SC2086,SC2046  # lists of words
    installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' \
        $wanted $(printf '%st64 ' $wanted) 2>/dev/null | sed -n 's/^installed //p' | tr '\n' ' ')"
    missing=
    for package in $wanted; do
        case "$installed $missing " in *" $package "* | *" ${package}t64 "*) continue ;; esac
        missing="$missing $package"
    done
    printf '%s\n' "${missing# }"
}
missing=$(missing_of "$@")
[ -n "$missing" ] || exit 0

install='apt-get install -y --no-install-recommends'
# Somebody else is asked once, so for all groups; and in one command, so that `sudo` may stand before it.
line="sh -c 'apt-get update && $install $(missing_of run test ollama)'"
install="$install $missing"
if [ "$how" = --line ]; then
    printf '%s\n' "$line"
    exit 0
fi
by_hand() { # WHY
    if [ "$how" = --later ]; then
        printf '%s\n' "$1" >&2
    else
        printf '%s\n\n    %s\n\n' "$1 As root, by hand:" "$line" >&2
    fi
    exit 1
}

sudo=
if [ "$(id -u)" != 0 ]; then
    sudo=sudo
    # sudo may ask for a password only where there is somebody to type it.
    if ! command -v sudo >/dev/null 2>&1 || { ! sudo -n true 2>/dev/null && ! [ -t 0 ]; }; then
        by_hand 'Some system packages are missing, and only root may install them.'
    fi
    ends='sudo -n kill' # what runs as root
    sudo -v || by_hand 'Some system packages are missing, and sudo lets nobody install them.'
fi

printf 'Installing system packages: %s\n' "$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

doing='asking for the packages'
# apt gives each of its files some seconds, and there are hundreds.
stalls_s=${LULL_STALLS_S:-150}
stalled=
far() { # apt's own count: how much was fetched, then what is being unpacked and set up
    tr '\r' '\n' <"$log" | awk -F: -v said="$doing" '
        /^dlstatus:/ { said = sprintf("fetching, %d %%", $3) }
        /^pmstatus:/ { said = sprintf("installing, %d %%: %s", $3, $2) }
        /^Waiting for cache lock/ { said = "waiting for another apt to end" }
        END { print said }'
}
apt() {
    # shellcheck disable=SC2086  # lists of words
    watched far "$log" $sudo env LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@" && return
    [ $? != 124 ] || stalled=yes
    return 1
}
# Another apt may be at work: one that was cut off lives on for a moment, too.
# shellcheck disable=SC2086  # lists of words
try_once() {
    apt apt-get -o APT::Status-Fd=1 -o DPkg::Lock::Timeout=120 -o Acquire::Retries=0 \
        -o Acquire::http::Timeout=15 -o Acquire::https::Timeout=15 ${install#apt-get }
}
# For the lock of what dpkg does apt waits, for its other two it does not.
try() {
    tries=0
    until try_once; do
        tries=$((tries + 1))
        if [ "$tries" -gt 24 ] || ! grep -q 'Could not get lock.*/\(lists\|archives\)/lock' "$log"; then
            return 1
        fi
        [ "$tries" != 1 ] || echo '  waiting for another apt to end'
        sleep "${LULL_LOCK_WAIT_S:-5}"
    done
}
offline() { [ -n "$stalled" ] || grep -Eq 'Temporary failure|Could not connect|Could not resolve|unreachable|timed out|Connection failed' "$log"; }
said_offline() { by_hand 'The package archive cannot be reached: is this machine online?'; }
# The lists on the machine may do, and fetching them takes a while: so first without. What was cut
# off in the middle is brought to its end before.
if try; then exit 0; fi
if [ -n "$stalled" ]; then said_offline; fi
if grep -q 'dpkg --configure -a' "$log"; then
    echo '  an earlier installation was cut off; bringing it to its end'
    doing='setting up what was unpacked'
    apt dpkg --configure -a || :
    apt apt-get -y -f install || :
    doing='asking for the packages'
    if try; then exit 0; fi
fi
if offline; then said_offline; fi
# Of several archives one may be away and not be needed, and of an update that failed apt says little.
echo '  its lists are old or missing; fetching them'
doing='fetching the lists of packages'
stalls_s=${LULL_STALLS_S:-400} # it does not say how far it is
apt apt-get -o Acquire::Retries=0 -o Acquire::http::Timeout=15 -o Acquire::https::Timeout=15 update || :
away=$(offline && echo yes) || :
doing='asking for the packages'
if try; then exit 0; fi
if [ -n "$away" ] || offline; then said_offline; fi

grep -v '^[dp]mstatus:\|^dlstatus:' "$log" | tail -n 15 >&2
by_hand 'apt could not install all system packages.'
