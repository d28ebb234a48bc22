#!/bin/sh
# Sees to the system packages of the groups named (run, test, ollama) in system-packages.txt.
# Debian and its relatives only: elsewhere the Python wheels bring all they need, so it does nothing.
# Installs with apt as root or through sudo; where it may not, prints the one line to run and fails.
# LULL_SYSTEM_PACKAGES=no leaves them alone, for who has the same things from elsewhere.
set -eu

list=$(dirname -- "$0")/system-packages.txt
if [ "${LULL_SYSTEM_PACKAGES-}" = no ] || ! command -v dpkg-query >/dev/null 2>&1; then exit 0; fi

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
missing=${missing# }
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends $missing"
by_hand() { printf '\n    apt-get update && %s\n\n' "$install" >&2; }

sudo=
if [ "$(id -u)" != 0 ]; then
    sudo=sudo
    # sudo may ask for a password only where there is somebody to type it.
    if ! command -v sudo >/dev/null 2>&1 || { ! sudo -n true 2>/dev/null && ! [ -t 0 ]; }; then
        echo 'Lull needs a few system packages. Run this line as root, then make again:' >&2
        by_hand
        exit 1
    fi
    sudo -v
fi

printf 'Installing system packages: %s\n' "$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

# shellcheck disable=SC2086  # lists of words
apt() { $sudo env DEBIAN_FRONTEND=noninteractive "$@" >>"$log" 2>&1 </dev/null; }
# The lists on the machine may do, and fetching them takes a while: so first without.
# shellcheck disable=SC2086
if apt $install || { apt apt-get update && apt $install; }; then exit 0; fi

if grep -Eq 'Temporary failure|Could not connect|Could not resolve|unreachable' "$log"; then
    echo 'The package archive cannot be reached: is this machine online? By hand, as root:' >&2
else
    tail -n 15 "$log" >&2
    echo 'apt could not install them. By hand, as root:' >&2
fi
by_hand
exit 1
