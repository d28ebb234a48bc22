#!/bin/sh
# A machine with nothing on it: makes a bare Debian 12 in a folder, clones this checkout into it and
# runs COMMANDS there as root, one after the other, as somebody would who has just installed Debian.
#
#     sh packaging/ci/bare.sh COMMAND...
#
# Needs root, and debootstrap or an apt that can install it. Exits with 75, after one line that says
# why, where such a tree cannot be made; else with what the first failing command exited with.
# LULL_BARE=DIR keeps the tree in DIR for the next time (its clone is made anew).
#
# Mounts are made in a namespace of their own, with the processes of the commands: both go with it,
# however this script ends, so that nothing is ever deleted through a mount.
set -eu

release=bookworm
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
checkout=$(CDPATH='' cd -- "$here/../.." && pwd)

say() { printf 'bare: %s\n' "$*"; }
cannot() { say "no bare Debian 12 here: $*"; exit 75; }

# In the namespace: mount, and become the tree

if [ "${1-}" = --inside ]; then
    tree=$2
    shift 2
    mount --bind "$tree" "$tree" # the root of a machine is a mount: tests change how it is shared
    mount -t proc proc "$tree/proc"
    for place in dev sys; do
        mount --rbind "/$place" "$tree/$place"
        mount --make-rslave "$tree/$place"
    done
    [ $# -gt 0 ] || exit 0 # only whether it can be done
    # The tree becomes the root itself, since in a chroot no program may make namespaces for users.
    # Where the system does not let it, a chroot must do.
    cd -- "$tree"
    if pivot_root . . 2>/dev/null; then umount -l .; fi
    for line; do
        # shellcheck disable=SC2016  # for the shell inside
        chroot . /bin/sh -c '. /root/machine.sh && cd /home/lull && eval "$1"' sh "$line"
    done
    exit 0
fi

# Can it be made here?

[ "$(uname)" = Linux ] || cannot 'this is no Linux.'
[ "$(id -u)" = 0 ] || cannot 'that needs root.'
command -v apt-get >/dev/null 2>&1 || cannot 'there is no apt to say where packages come from.'

tree=${LULL_BARE-}
keep=$tree
if [ -n "$keep" ]; then mkdir -p "$tree"; else tree=$(mktemp -d "${TMPDIR:-/var/tmp}/lull-bare.XXXXXX"); fi
tree=$(CDPATH='' cd -- "$tree" && pwd -P)
chmod 755 "$tree" # the root of a machine is open to all of its users, unlike what mktemp makes
log=$(mktemp)
worker=
teller=

clean_up() {
    trap - EXIT INT TERM HUP
    [ -z "$teller" ] || kill "$teller" 2>/dev/null || :
    if [ -n "$worker" ]; then
        # unshare minds nothing less, and takes all below it along.
        kill -KILL "$worker" 2>/dev/null || :
        wait "$worker" 2>/dev/null || :
    fi
    rm -f "$log"
    [ -z "$keep" ] || return 0
    if grep -qF " $tree/" /proc/self/mountinfo; then
        say "something is mounted below $tree; it is left as it is." >&2
    else
        rm -rf --one-file-system "$tree"
    fi
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# A shell minds signals only between commands, so what takes long runs aside.
aside() {
    "$@" </dev/null &
    worker=$!
    status=0
    wait "$worker" || status=$?
    worker=
    return "$status"
}
alone() { aside unshare --mount --propagation private --pid --fork --kill-child "$@"; }
quietly() { aside "$@" >"$log" 2>&1; }
last() { grep . "$log" | tail -n 1; }
tell() { # every few seconds, what the log's last line says
    told=
    while sleep 5 && kill -0 $$ 2>/dev/null; do
        now=$(last) || :
        if [ "$now" != "$told" ]; then printf '  %s\n' "$now"; fi
        told=$now
    done
}

if ! command -v debootstrap >/dev/null 2>&1; then
    say 'installing debootstrap'
    quietly env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends debootstrap ||
        { quietly apt-get update && quietly env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y --no-install-recommends debootstrap; } ||
        cannot "debootstrap cannot be installed ($(last))."
fi

# The machine's own archives of this release: apt reads its files in either form.
archives=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 2>/dev/null |
    awk -v of="$release" '$2 == of || index($2, of "-") == 1 { print }' | sort -u) || :
mirror=$(printf '%s\n' "$archives" | awk -v of="$release" '$2 == of { print $1; exit }')
[ -n "$mirror" ] || cannot "apt knows no archive of $release."

# The tree

if [ ! -e "$tree/root/machine.sh" ]; then
    say "making a bare $release, a minute or two"
    # It is thrown away: nothing in it must outlast a power cut.
    mkdir -p "$tree/etc/dpkg/dpkg.cfg.d"
    echo force-unsafe-io >"$tree/etc/dpkg/dpkg.cfg.d/thrown-away"
    tell &
    teller=$!
    alone debootstrap --variant=minbase --include=ca-certificates,make,git \
        "$release" "$tree" "$mirror" >"$log" 2>&1 || cannot "debootstrap failed ($(last))."
    kill "$teller"
    teller=
fi
alone sh "$0" --inside "$tree" >"$log" 2>&1 || cannot "mounts are not permitted ($(last))."

# What belongs to the network and not to Lull: names, certificates, where packages come from.
into() { # FILE...: the same file in the tree
    for file; do
        [ -f "$file" ] || continue
        mkdir -p "$tree$(dirname -- "$file")"
        cp --remove-destination -L -- "$file" "$tree$file"
    done
}
into /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt
into /etc/apt/auth.conf /etc/apt/auth.conf.d/* /usr/share/keyrings/debian-archive-*
printf '%s\n' "$archives" | sed 's/^/deb /; s/$/ main/' >"$tree/etc/apt/sources.list"
apt-config dump Acquire | grep -v '^Acquire::IndexTargets' >"$tree/etc/apt/apt.conf.d/99machine"

{
    printf 'export HOME=/root LANG=C.UTF-8 TERM=dumb\n'
    printf 'export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n'
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY \
        SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO \
        PIP_CERT PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_TRUSTED_HOST PIP_DEFAULT_TIMEOUT PIP_RETRIES \
        GOPROXY GOSUMDB GONOSUMDB GOPRIVATE GOINSECURE CI LULL_NO_SKIP PYTHONUNBUFFERED; do
        value=$(printenv "$name") || case $name in
        GO*) value=$(go env "$name" 2>/dev/null) || : ;; # it may stand in Go's own file
        esac
        [ -n "$value" ] || continue
        case $value in /*) into "$value" ;; esac
        printf "export %s='%s'\n" "$name" "$(printf '%s' "$value" | sed "s/'/'\\\\''/g")"
    done
} >"$tree/root/machine.sh"

rm -rf --one-file-system "$tree/home/lull" "$tree/home/shared"
aside git clone --quiet "$checkout" "$tree/home/lull"
# Hand-outs that some tests read lie beside the checkout, where there are any.
if [ -d "$checkout/../shared" ]; then cp -rL "$checkout/../shared" "$tree/home/shared"; fi

say "in a bare $release, at $(git -C "$tree/home/lull" log -1 --format='%h %s')"
alone sh "$0" --inside "$tree" "$@"
