#!/bin/sh
# What README tells a newcomer to run, in this checkout: `make run` until the line that it prints to
# paste has got an answer, then what `make static` does but for the commits'
# subjects, which are judged before a merge, `make test` and `make rest`,
# with an Ollama, so that no test is left out.
set -eu
cd -- "$(dirname -- "$0")/../.."

work=$(mktemp -d)
running=
end() {
    trap - EXIT INT TERM
    [ -z "$running" ] || kill "$running" 2>/dev/null || :
    rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() { printf 'newcomer: %s\n' "$*" >&2; exit 1; }

echo '$ make run'
# Nobody's own conversations, no display: what is printed is for a terminal. A free port, because the
# usual one may be that of a Lull on the machine that the bare tree stands on.
mkdir -p "$work/home"
printf '[service]\nport = 0\n' >"$work/home/settings.toml"
: >"$work/said" # there before it is read: what runs beside this script opens it when it comes to it
env -u DISPLAY -u WAYLAND_DISPLAY LULL_HOME="$work/home" make run </dev/null >"$work/said" 2>&1 &
running=$!
shown=0
show() { # what was said since
    tail -n "+$((shown + 1))" "$work/said"
    shown=$(wc -l <"$work/said")
}
until grep -q '^Ctrl-C stops it' "$work/said"; do
    kill -0 "$running" 2>/dev/null || { show; fail '`make run` ended by itself.'; }
    show
    sleep 1
done
show
line=$(sed -n 's/^  *\(.* ask --model lull-mini .*\)$/\1/p' "$work/said")
[ -n "$line" ] || fail '`make run` printed no line to paste.'

printf '$ %s\n' "$line"
answer=$(env -u LULL_HOME sh -c "cd / && $line" </dev/null)
printf '%s\n' "$answer"
# What it says is its own; an answer has words.
[ "$(printf '%s\n' "$answer" | wc -w)" -ge 5 ] || fail 'that is no answer.'
.venv/bin/lull stop --home "$work/home"
wait "$running" || fail "\`make run\` ended with $?."
running=

echo '$ make format-check lint types contracts'
make format-check lint types contracts
echo '$ make ollama'
make ollama
for tier in test rest; do # which are `make full`
    echo "\$ make $tier"
    begun=$(date +%s)
    make "$tier" ARGS='--durations=40' # which tests took longest
    echo "newcomer: \`make $tier\` took $(($(date +%s) - begun)) s"
done
