"""Recognises environment faults (time-outs, full disks, missing permissions) in the output of an
agent's tool.

Such a fault says nothing about the model's answer. So faults are looked for before the answer is
blamed, which would teach the model to try nothing. Whether a tool call failed at all is decided
elsewhere.
"""

from __future__ import annotations

import re

EDGE_LINES = 40
"""Number of lines searched at each end of a tool's output, where faults are reported."""

CAUSES: tuple[tuple[str, str], ...] = (
    (
        "rate limit",
        r"too many requests|rate[ _-]?limit(?:ed\b|s? (?:was |has been )?(?:exceeded|reached"
        r"|hit)|error|_error)"
        r"|\b429\b(?=.*(?:http|status|error|client))|(?:http|status|error)\D{0,14}\b429\b"
        r"|retry-after:",
    ),
    (
        "quota",
        r"quota (?:was |has been |is )?(?:exceeded|reached|exhausted)"
        r"|exceeded your (?:current )?quota"
        r"|insufficient[ _](?:quota|credits?|balance|funds)|usage limit|402 payment required"
        r"|resource_exhausted|edquot",
    ),
    (
        "time-out",
        r"\btimed[ -]?out\b|\btime-?out (?:error|exceeded|expired|reached|after|of \d)"
        r"|timeouterror"
        r"|(?:read|connect|pool|write)timeout|timeoutexpired|deadline ?exceeded"
        r"|e(?:socket)?timedout"
        r"|gateway time-?out|took too long|exit(?:ed)?(?: with)?(?: code| status)?:? 124\b",
    ),
    (
        "server error",
        r"returned error: 5\d\d\b|internal server error|bad gateway"
        r"|service (?:temporarily )?unavailable|overloaded"
        r"|(?:http(?:/\d(?:\.\d)?)?|status(?: ?code)?|server (?:error|returned|responded)"
        r"|response)"
        r"\W{0,6}(?:code\W{0,3}|error\W{0,3}|with\W{0,3}|status\W{0,3})*5\d\d\b"
        r"|\b50[0234] (?:error|server)",
    ),
    (
        "name lookup",
        r"could ?n[o']t resolve|name or service not known|temporary failure in name resolution"
        r"|getaddrinfo|\benotfound\b|nxdomain|nodename nor servname|no address associated"
        r"|name resolution|dns (?:lookup |resolution )?(?:failed|failure|error)",
    ),
    (
        "connection",
        r"connection (?:was |has been )?(?:refused|reset|aborted|closed|lost|error)"
        r"|econn(?:refused|reset|aborted)"
        r"|network is unreachable|no route to host|e(?:net|host)unreach|socket hang ?up"
        r"|connecterror"
        r"|connection(?:refused|reset|aborted)?error|(?:could not|couldn't|cannot|can't"
        r"|failed to|unable to)"
        r" (?:connect|reach|establish)|fetch failed|network error|proxy error|ssl: certificate"
        r"|tls handshake"
        r"|certificate (?:verify failed|has expired)|you are offline",
    ),
    (
        "permission",
        r"permission denied|\be(?:acces|perm|rofs)\b|operation not permitted|access (?:is "
        r"|was )?denied"
        r"|permissionerror|(?:http|status|error)\D{0,14}\b40[13]\b|\b401 unauthorized"
        r"|\b403 forbidden"
        r"|not authori[sz]ed|unauthori[sz]ed|must be root|are you root|read-only file system"
        r"|authentication (?:failed|required)|requires? (?:authentication|approval|root|sudo)"
        r"|(?:user|operator) (?:has )?(?:denied|rejected|declined|cancell?ed)"
        r"|user (?:doesn't|does not|didn't) want|(?:tool use|command|action"
        r"|request) was (?:rejected|denied|blocked)"
        r"|permission (?:to use|for) .{0,60}(?:denied|not granted)|haven't granted"
        r"|blocked by (?:policy|sandbox)",
    ),
    (
        "disk",
        r"no space left on device|\benospc\b|disk (?:is )?full|disk quota"
        r"|not enough (?:free )?(?:disk )?space"
        r"|input/output error|\beio\b",
    ),
    (
        "memory",
        r"out of memory|cannot allocate memory|\benomem\b|\bmemoryerror\b|oom[- ]?kill|^killed$"
        r"|exit(?:ed)?(?: with)?(?: code| status)?:? 137\b",
    ),
    (
        # Nobody knows which programs a machine has before trying.
        "missing program",
        r"command not found|: not found$|not recognized as (?:an internal|the name)"
        r"|no such command"
        r"|executable file not found|exit(?:ed)?(?: with)?(?: code| status)?:? 127\b"
        r"|\bspawn \S+ enoent",
    ),
    (
        "busy resource",
        r"address already in use|eaddrinuse|resource temporarily unavailable|too many open files"
        r"|\bemfile\b"
        r"|device or resource busy|database is locked|could not get lock|\bebusy\b",
    ),
    (
        "interruption",
        r"keyboardinterrupt|interrupted by (?:the )?user|\b(?:was|been) (?:cancell?ed"
        r"|interrupted)|\bsig(?:term|int|kill)\b"
        r"|exit(?:ed)?(?: with)?(?: code| status)?:? (?:130|143)\b",
    ),
)
_FAULTS = [(cause, re.compile(pattern, re.IGNORECASE)) for cause, pattern in CAUSES]
_PASSED_TEST = re.compile(r"\b(?:PASSED|passed|ok)\s*(?:\[.*\])?$|^\s*[✓✔]")


def environment_fault(text: str) -> str | None:
    """Return what went wrong, in words such as "rate limit", if a failed tool's output reports an
    environment fault; None if it reports none.

    Call it only with the output of a failed tool: in other text, ordinary prose about such faults
    would be taken for one.
    """
    for line in _edges(text):
        if len(line) <= 2000 and not _PASSED_TEST.search(line):
            for cause, fault in _FAULTS:
                if fault.search(line):
                    return cause
    return None


def _edges(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) <= 2 * EDGE_LINES:
        return lines
    return lines[:EDGE_LINES] + lines[-EDGE_LINES:]
