# Read by the scripts here (`.`): a command that says nothing for a minute runs aside, and every few
# seconds a line says how far it is.

# watched HOW-FAR LOG COMMAND...: HOW-FAR is a command that prints a few words, or nothing yet.
watched() {
    how_far=$1
    watched_log=$2
    shift 2
    "$@" >"$watched_log" 2>&1 </dev/null &
    watched_one=$!
    # What ends us reaches a command run aside only through us: Ctrl-C, a terminal that is closed,
    # a reader of our lines that has left (`make run | head`).
    trap 'kill "$watched_one" 2>/dev/null; exit 130' INT TERM HUP PIPE
    told=
    seconds=0
    while kill -0 "$watched_one" 2>/dev/null; do
        sleep 1
        seconds=$((seconds + 1))
        [ $((seconds % 5)) = 0 ] || continue
        now=$($how_far 2>/dev/null) || now=
        if [ -n "$now" ] && [ "$now" != "$told" ]; then printf '  %s\n' "$now"; fi
        told=$now
    done
    result=0
    wait "$watched_one" || result=$?
    trap - INT TERM HUP PIPE
    return "$result"
}
