"""Patterns of what lets one read or set a device by SNMP: the community of versions 1 and 2c, and a
user's two passwords of version 3; as agents, routers, tools and monitors write them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lull.core.secrets.values.judging import has_sign, is_placeholder
from lull.core.secrets.values.pattern import BARE, QUOTE, Pattern, PatternPlace
from lull.core.secrets.values.plain_words import DUMMIES, WORDS

_GAP: Final = r"[ \t]{1,8}"
_ADDRESS: Final = r"[\w.:/\[\]-]{2,64}"
_VALUE: Final = rf"{QUOTE}?({BARE}{{4,64}})"
_WORDS_OF_SETTINGS: Final = frozenset(
    """
    community communities public private read write read-only read-write view trap traps inform
    informs auth noauth priv version group user host list name string index mapping map default
    configuration
    """.split()  # noqa: SIM905  a list would be thirty lines
)
"""Words of the settings themselves, and the two communities that everybody knows."""


def _community(value: str) -> bool:
    """Whether a word in a community's place is one that somebody chose."""
    low = value.lower().strip(".,:;!?)(")
    known = low in _WORDS_OF_SETTINGS or low in DUMMIES or low in WORDS
    code = re.fullmatch(r"[\d:]+|[a-z_]+\.[a-z_.]+|\w+\(.*", value)
    return not known and not is_placeholder(value) and code is None


def _password(value: str) -> bool:
    return _community(value) and len(value) >= _SHORTEST_PASSWORD


_SHORTEST_PASSWORD: Final = 8
"""RFC 3414 asks for so many characters."""


def _passwords(line: str) -> Iterator[tuple[int, int]]:
    for one in _OF_USER.finditer(line):
        if _password(one[1]):
            yield one.span(1)


_OF_USER: Final = re.compile(
    rf"(?i:\b(?:md5|sha(?:-?\d{{3}})?|des|3des|aes(?:[ -]?(?:128|192|256)c?)?)){_GAP}{QUOTE}?({BARE}{{8,64}})"
)


def _of_call(arguments: str) -> Iterator[tuple[int, int]]:
    """The passwords among the arguments of a call, of which the first is the user's name."""
    for one in re.finditer(r"[\"']([^\"'\n\\]{8,64})[\"'\\]", arguments):
        if one.start() > arguments.find(",") > 0 and _password(one[1]):
            yield one.span(1)


def _line(regex: str, hints: tuple[str, ...], holds: str, spares: str) -> Pattern:
    """A line of settings whose word in a certain place is a community."""
    return Pattern(
        kind="password",
        regex=re.compile(f"(?i:{regex}){_VALUE}"),
        hints=hints,
        check=_community,
        holds=holds,
        spares=spares,
    )


_SIGN: Final = rf"{QUOTE}?[ \t]{{0,4}}[:=]{{1,2}}>?[ \t]{{0,4}}"
_NEAR: Final = re.compile(r"(?i)snmp|\bv(?:ersion)?[\"' ]{0,3}[:=]?[\"' ]{0,3}v?[12]c?\b|sysdescr")
_FAR: Final = 240
_FIELD: Final = re.compile(
    rf"(?:y(?:_?(?:string|name|ro|rw))?(?:[\"']?\]\[\d{{1,2}}\])?|ies){_SIGN}(?:(?<=[:=\s])(?:[\s\[-]|\\{{1,4}}[nrt]){{1,24}})?{_VALUE}"
)


def _fields(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    """The fields named "community" of a file that is about SNMP."""
    at = low.find("communit")
    while at >= 0:
        end = at + len("communit")
        field = _FIELD.match(text, end)
        if field is not None and _community(field[1]):
            around = text[max(0, at - _FAR) : field.end() + _BEHIND]
            if _NEAR.search(around) is not None:
                yield field.span(1)
        at = low.find("communit", end)


_BEHIND: Final = 60

SNMP: Final = (
    _line(
        rf"snmp-server{_GAP}community{_GAP}(?:(?:[08]|clear|encrypted){_GAP})?",
        ("snmp-server",),
        "snmp-server community «winterRO» RO",
        "snmp-server community public RO",
    ),
    _line(
        rf"snmp-server{_GAP}host{_GAP}(?:\w{{1,20}}{_GAP})?{_ADDRESS}{_GAP}(?:(?:traps?|informs?|community|vrf{_GAP}\S{{1,32}}){_GAP}){{0,2}}(?:version{_GAP}(?:1|2c?){_GAP})?(?:[08]{_GAP})?(?!version|use-)",
        ("snmp-server",),
        "snmp-server host 10.0.0.5 version 2c «winterRO»",
        "snmp-server host 10.0.0.5 version 3 priv",
    ),
    _line(
        rf"(?:(?:ro|rw)community6?|trapcommunity|authcommunity{_GAP}[\w,]{{2,24}}|(?:trap2?|inform)sink6?{_GAP}{_ADDRESS}|com2sec6?{_GAP}(?:-Cn{_GAP}\S{{1,32}}{_GAP})?[\w.-]{{1,40}}{_GAP}{_ADDRESS}){_GAP}",
        (
            "rocommunity",
            "rwcommunity",
            "trapcommunity",
            "authcommunity",
            "trap",
            "informsink",
            "com2sec",
        ),
        "com2sec readonly default «winter-garden»",
        "com2sec readonly default public",
    ),
    _line(
        rf"(?:snmp-agent{_GAP}community{_GAP}(?:(?:read|write|cipher|simple){_GAP}){{0,3}}|set{_GAP}(?:\w{{1,20}}{_GAP}){{0,2}}snmp{_GAP}community{_GAP}|snmp{_GAP}community{_GAP}add{_GAP}(?!name=))",
        ("snmp-agent", "set", "snmp"),
        "set snmp community «winterRO» authorization read-only",
        "show snmp community detail and snmp community list",
    ),
    _line(
        rf"snmp{_GAP}community{_GAP}(?:add|set){_GAP}[^\n]{{0,60}}?name=",
        ("snmp",),
        "/snmp community set [ find default=yes ] name=«winterRO»",
        "/snmp community set [ find default=yes ] name=public",
    ),
    _line(
        rf"snmp[ \t]{{0,8}}\{{(?:\s|\\{{1,4}}[nrt]){{0,40}}community{_GAP}",
        ("snmp",),
        "snmp {\n    community «winterRO» {",
        "snmp {\n    community public {",
    ),
    _line(
        rf"snmp(?:walk|get|getnext|set|bulkwalk|bulkget|table|trap|inform|df|status){_GAP}[^\n|;]{{0,80}}?-c[ \t]{{0,8}}",
        ("snmp",),
        "snmpwalk -v2c -c «winter» 10.0.0.1",
        "snmpwalk -v2c -c public 10.0.0.1",
    ),
    _line(
        rf"(?:snmp{_GAP}(?:add{_GAP}community{_GAP}(?:readonly|readwrite)|(?:get|set|trap|read|write)-community)|check_snmp\w{{0,12}}{_GAP}[^\n|;]{{0,80}}?-C|validcommunities\\{{0,4}}[\"']?{_GAP}/v){_GAP}",
        ("snmp", "check_snmp", "validcommunities"),
        "check_snmp -H 10.0.0.1 -C «winter-garden» -o sysUpTime",
        "check_snmp -H 10.0.0.1 -C public -o sysUpTime",
    ),
    _line(
        rf"community-string{_GAP}(?={QUOTE})|communitydata\(\s?(?:{QUOTE}[\w.-]{{1,40}}{QUOTE}\s?,\s?(?={QUOTE}))?(?={QUOTE})",
        ("communitydata(", "community-string"),
        "CommunityData('«winter-garden»', mpModel=1)",
        "CommunityData('public', mpModel=1)",
    ),
    _line(
        rf"snmp[ _-]{{0,2}}(?:ro|rw|read|write|v2c?)?[ _-]?communit(?:y|ies)(?:[ _-]?(?:string|name))?\}}?(?:{_SIGN}|[ ]is[ ])",
        ("snmp",),
        "the snmp community string is «winterRO»",
        "the snmp community string is wrong",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i:snmp-server{_GAP}user{_GAP}|snmp-agent{_GAP}usm-user{_GAP}|createuser{_GAP}|usmuser{_GAP})([^\n]{{8,400}})"
        ),
        hints=("snmp-server", "snmp-agent", "createuser", "usmuser"),
        pieces=_passwords,
        holds="createUser anna SHA «winter-garden AES summer-garden»",
        spares="createUser anna SHA $AUTH AES $PRIV",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i:(?:auth|priv)(?:entication|acy)?[ _-]?(?:passphrase|password|pass|key|protocol{_GAP}\w{{2,10}}{_GAP}(?:\d{_GAP})?)){_SIGN.replace('{1,2}', '{0,2}')}{_VALUE}"
        ),
        hints=("auth", "priv"),
        where=PatternPlace.WORD,
        check=lambda value: _password(value) and has_sign(value),
        holds="privPassword=«winter2garden»",
        spares="privPassword=required",
    ),
    Pattern(
        kind="password",
        regex=re.compile(r"UsmUserData\(([^\n()]{8,300})"),
        hints=("usmuserdata(",),
        pieces=_of_call,
        holds="UsmUserData('anna', '«winter-garden', 'summer-garden»')",
        spares="UsmUserData(user, auth_key, priv_key)",
    ),
    Pattern(
        kind="password",
        regex=re.compile(rf"(?i:check_snmp\w{{0,12}}{_GAP}[^\n|;]{{0,120}}?)-A{_GAP}{_VALUE}"),
        hints=("check_snmp",),
        check=_password,
        holds="check_snmp -H 10.0.0.1 -P 3 -U anna -A «winter-garden»",
        spares="check_snmp -H 10.0.0.1 -P 3 -U anna -A $AUTH",
    ),
    Pattern(
        kind="password",
        find=_fields,
        hints=("communit",),
        holds='{"snmp": {"version": "2c", "community": "«winter-garden»"}}',
        spares='{"forum": {"version": "3", "community": "winter-garden"}}',
    ),
)
