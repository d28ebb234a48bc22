# Read by the scripts here (`.`): a command that says nothing for a minute runs aside, and every few
# seconds a line says how far it is.

# watched HOW-FAR LOG COMMAND...: HOW-FAR is a command that prints a few words, or nothing yet. While
# they stay the same they are said again every ten seconds, with how long that has been so. Where
# `stalls_s` is set, a command that says for so many seconds that it is fetching and gets no further
# is ended, with 124: some networks take a question and never answer. `ends` is how it is ended with us.
watched() {
    how_far=$1
    watched_log=$2
    shift 2
    "$@" >"$watched_log" 2>&1 </dev/null &
    watched_one=$!
    # What ends us reaches a command run aside only through us: Ctrl-C, a terminal that is closed,
    # a reader of our lines that has left (`make run | head`).
    trap '${ends:-kill} "$watched_one" 2>/dev/null; exit 130' INT TERM HUP PIPE
    told=
    seconds=0
    since=0
    while kill -0 "$watched_one" 2>/dev/null; do
        sleep 1
        seconds=$((seconds + 1))
        [ $((seconds % 5)) = 0 ] || continue
        now=$($how_far 2>/dev/null) || now=
        [ -n "$now" ] || continue
        if [ "$now" != "$told" ]; then
            say '  %s\n' "$now"
            told=$now
            since=$seconds
        elif [ $(((seconds - since) % 10)) = 0 ]; then
            say '  %s, for %s s now\n' "$now" "$((seconds - since))"
        fi
        case $now in fetching*)
            # What runs as root, through sudo, cannot be ended by others; it is waited for.
            if [ $((seconds - since)) -ge "${stalls_s:-999999}" ] && kill "$watched_one" 2>/dev/null; then
                wait "$watched_one" || :
                trap - INT TERM HUP PIPE
                return 124
            fi
            ;;
        esac
    done
    result=0
    wait "$watched_one" || result=$?
    trap - INT TERM HUP PIPE
    return "$result"
}

# Where a trap stands for it, a shell says aloud that nobody reads its lines any more.
say() { printf "$@" 2>/dev/null || :; }

# together COMMAND...: runs it and ends it with us, which a shell does not for a command it waits for.
# It reads what we read, so that it may ask for a password.
together() {
    "$@" <&3 3<&- &
    together_one=$!
    trap 'kill "$together_one" 2>/dev/null; wait "$together_one"; exit 130' INT TERM HUP PIPE
    result=0
    wait "$together_one" || result=$?
    trap - INT TERM HUP PIPE
    return "$result"
}
