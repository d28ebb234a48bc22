"""Patterns of passwords on command lines, by each program's own flags."""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.values.judging import (
    bare_password,
    has_sign,
    looks_random,
    looks_random16,
    not_dummy,
)
from lull.core.secrets.values.letters import are_random_letters
from lull.core.secrets.values.pattern import BARE, QUOTE, Pattern, PatternPlace

_VALUE: Final = rf"{QUOTE}?({BARE}{{3,200}})"
_PAIR: Final = rf"{QUOTE}?[A-Za-z][\w.@+\\-]{{0,63}}:({BARE}{{4,200}})"


def _flag(
    flag: str,
    program: str,
    holds: str,
    spares: str,
    *,
    value: str = _VALUE,
    hints: tuple[str, ...] = (),
) -> Pattern:
    """A flag that takes a password, but only after certain programs."""
    return Pattern(
        kind="password",
        regex=re.compile(f"{flag}{value}"),
        hints=hints or (flag.rstrip(" ?").lower(),),
        where=PatternPlace.ANYWHERE,
        before=re.compile(rf"(?i)(?:^|[^\w-]|\\[nrt])(?:{program})(?![\w-])[^\n|;]*[\s\"',\[]$"),
        check=_in_command,
        holds=holds,
        spares=spares,
    )


def _in_command(value: str) -> bool:
    written = any(c.isalnum() for c in value)  # no brackets alone, where a flag ends a JSON string
    return (
        written
        and not_dummy(value)
        and not value.startswith(("$", "-", "/", "@"))
        and len(value) >= 3
    )


def _new_password(value: str) -> bool:
    return _in_command(value) and (has_sign(value) or len(value) >= 6)


def _clearly_drawn(value: str) -> bool:
    """Whether a value behind a word that says little is a secret all the same."""
    plain = value.rstrip(".,:;)")
    return len(plain) >= 8 and (looks_random(plain) or are_random_letters(plain, sure=True))


def _word_or_random(value: str) -> bool:
    return bare_password(value) and not value.startswith(("$", "-", "/", "@", "%"))


_SECRET_FLAGS: Final = r"(?:[a-z]{1,12}-){0,3}(?:passw(?:or)?d|passphrase|pass|storepass|keypass|srcstorepass|deststorepass|dbpass|pw|pwd|adminpassword)"
_KEY_FLAGS: Final = (
    r"(?!(?:recv|search|send|refresh|list|delete|export|default|sign|lsign|edit|trusted)-)(?:[a-z0-9]{1,14}[-_]){0,3}(?:token|secret|api-?key|apikey|access-?key|secret-?key|auth-?key|license-?key|"
    r"account-?key|authtoken|key|credential|psk|pin)"
)

COMMANDS: Final = (
    _flag(
        "-u ?",
        "curl|http|https|wget|lftp|svn|hg|ab|wrk|cargo|nmap|hydra|ffuf",
        "curl -u admin:«hunter2pw» https://example.org",
        "grep -u file:name",
        value=_PAIR,
    ),
    _flag(
        "-U ?",
        "curl|smbclient|rpcclient|net|psql|mount",
        "curl -U admin:«hunter2pw» https://example.org",
        "grep -U file:name",
        value=_PAIR,
    ),
    _flag(
        "-U ?",
        "smbclient|rpcclient|net|winexe|wmic|smbmap|nmblookup",
        "smbclient //nas/share -U 'anna%«t1gerX»'",
        "smbclient //nas/share -U anna",
        value=rf"{QUOTE}?[\w.\\/@-]{{1,80}}%({BARE}{{3,200}})",
    ),
    _flag(
        "-u ?",
        "lftp|ncftp",
        "lftp -u anna,«t1gerX» ftp.example.com",
        "lftp -u anna ftp.example.com",
        value=rf"{QUOTE}?[\w.@-]{{1,64}},({BARE}{{3,200}})",
    ),
    _flag(
        "-p",
        "mysql|mysqldump|mysqladmin|mysqlimport|mysqlsh|mariadb|mariadb-dump|7z|7za|7zr|rar|unrar|sshpass|xtrabackup|mycli",
        "mysql -h db -u root -p«t1gerX» app",
        "mkdir -p«t1gerX»".replace("«", "").replace("»", ""),
    ),
    _flag("-hp", "rar|unrar", "rar a -hp«t1gerX» a.rar", "cut -hpt1gerX"),
    _flag(
        "-p ",
        "sshpass|docker login|podman login|buildah login|nerdctl login|skopeo login|helm registry login|az login|oc login|mongo|mongosh|mongodump|mongorestore|"
        "cf login|ncftpput|ncftpget|ncftpls|psexec|psexec64|nxc|crackmapexec|evil-winrm|rdesktop|influx|argocd login|expect|tsh|vncpasswd|ipmitool|cqlsh|clickhouse-client|beeline|ldapadd|sqlcmd|bw|keepassxc-cli|xtrabackup|hydra",
        "docker login -u anna -p «t1gerX» registry.example.com",
        "docker run -p 8080:80 nginx",
    ),
    _flag(
        "-P ?",
        "sqlcmd|bcp|isql|tsql|mosquitto_pub|mosquitto_sub|ipmitool|unzip|zip|zipcloak|osql|sqsh|plink|pscp|ansible|hydra",
        "sqlcmd -S db -U sa -P «t1gerX!»",
        "xargs -P 4 echo",
    ),
    _flag("-pw ", "plink|pscp|psftp|putty|kitty", "plink -pw «t1gerX» root@host", "tar -pw word"),
    _flag(
        "-a ?",
        "redis-cli|redis-benchmark|keydb-cli|valkey-cli",
        "redis-cli -h cache -a «t1gerX» ping",
        "ls -a t1gerX",
    ),
    _flag(
        "-w ?",
        "ldapsearch|ldapadd|ldapmodify|ldapdelete|ldapwhoami|ldappasswd|ldapcompare",
        "ldapsearch -x -D cn=admin -w «t1gerX» -b dc=ex",
        "grep -w t1gerX",
    ),
    _flag("-s ", "ldappasswd", "ldappasswd -s «t1gerX» uid=anna", "curl -s t1gerX"),
    _flag("-k ?", "openssl enc|mcrypt|gpg", "openssl enc -aes-256-cbc -k «t1gerX»", "ls -k t1gerX"),
    _flag(
        "-[AX] ?",
        "snmpwalk|snmpget|snmpset|snmpbulkwalk",
        "snmpwalk -v3 -u anna -A «t1gerX» host",
        "grep -A 3 word",
        hints=("-a", "-x"),
    ),
    _flag(
        "/p:",
        "xfreerdp|xfreerdp3|wfreerdp|mstsc|rdesktop|schtasks",
        "xfreerdp /u:anna /p:«t1gerX» /v:host",
        "see /p:t1gerX",
    ),
    _flag(
        "/(?:pass|rp|p)[: ]",
        "cmdkey|schtasks|runas|xfreerdp|sc",
        "cmdkey /add:host /user:anna /pass:«t1gerX»",
        "copy /pass:word",
        hints=("/pass", "/rp", "/p:", "/p "),
    ),
    _flag(
        "-(?:b[cBmsdn]{0,3}|[cBmsdn]{1,3}b[cBmsdn]{0,2}) \\S{1,200} \\S{1,64} ",
        "htpasswd",
        "htpasswd -bc users anna «t1gerX»",
        "tar -b users anna t1gerX",
        hints=("-b", "-c", "-n", "-m"),
    ),
    Pattern(
        kind="password",
        regex=re.compile(rf"(?i)--?(?:proxy-|http-|ftp-)?user[ =]{_PAIR}"),
        hints=("--user", "--proxy-user", "-user", "--http-user"),
        where=PatternPlace.ANYWHERE,
        check=not_dummy,
        holds="curl --user deploy:«t1gerX» https://example.com/x",
        spares="docker run --user 1000:1000 image",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)--?{_SECRET_FLAGS}(?:[ =:]|{QUOTE}\s?,\s?{QUOTE}){{1,2}}{QUOTE}?({BARE}{{4,200}})"
        ),
        hints=("--", "-pass", "-storepass", "-keypass", "-src", "-dest", "-new"),
        where=PatternPlace.ANYWHERE,
        check=_word_or_random,
        not_before=re.compile(r"[\w-]$"),
        holds="wget --user=anna --password=«t1gerX» https://example.com/x",
        spares="mytool --password-file=/run/secrets/x --password",
    ),
    Pattern(
        kind="token",
        regex=re.compile(
            rf"(?i)--?{_KEY_FLAGS}(?:[ =:]|{QUOTE}\s?,\s?{QUOTE}){{1,2}}{QUOTE}?({BARE}{{8,2000}})"
        ),
        hints=("--", "-token", "-key", "-secret", "-apikey", "-api"),
        where=PatternPlace.ANYWHERE,
        check=looks_random,
        not_before=re.compile(r"[\w-]$"),
        holds="mytool --api-key «q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE» run",
        spares="mytool --sort-key created_at_1 run",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)echo\s{{1,4}}(?:-[ne]{{1,2}}\s{{1,4}})?{QUOTE}?(?:[\w.-]{{1,40}}:)?({BARE}{{4,200}}){QUOTE}?\s{{0,4}}\|\s{{0,4}}"
            r"(?:sudo\s[^\n|]{0,80}-\w{0,6}S|(?:sudo\s)?(?:chpasswd|passwd|smbpasswd|kinit|cryptsetup|gpg|docker login|podman login|(?:docker|podman) secret|openssl|ssh-add|base64(?!\s+(?:-d|-D|--decode))|[\w-]{1,24}\s[^\n|]{0,60}--?pass(?:word|wd)?(?:-(?:on|from|over))?-stdin|gh auth|glab auth|htpasswd|mkpasswd))"
        ),
        hints=("echo", "printf"),
        check=_word_or_random,
        holds="echo «t1gerX» | sudo -S apt update",
        spares='echo "$PASSWORD" | sudo -S ls',
    ),
    Pattern(
        kind="password",
        regex=re.compile(rf"<<<\s?{QUOTE}?({BARE}{{4,200}})"),
        hints=("<<<",),
        where=PatternPlace.ANYWHERE,
        before=re.compile(
            r"sudo|passwd|kinit|login|cryptsetup|gpg|keepass|load-key|openssl|unlock|password|passphrase"
        ),
        check=_word_or_random,
        holds="sudo -S ls <<< '«t1gerX»'",
        spares="cat <<< t1gerX",
    ),
    Pattern(
        kind="password",
        regex=re.compile(rf"pass:({BARE}{{3,200}})"),
        hints=("pass:",),
        before=re.compile(r"(?:-pass(?:in|out)?|openssl|-k)\s[^\n]{0,80}$|openssl"),
        check=not_dummy,
        holds="openssl enc -aes-256-cbc -pass pass:«t1gerX» -in a",
        spares="tests pass: 12",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)net\s{{1,3}}use\s[^\n]{{0,40}}?(?:\\{{2,8}}|//)[^\s\"]{{3,120}}\s{{1,3}}(?:/user:\S{{1,64}}\s{{1,3}})?{_VALUE}"
        ),
        hints=("net use",),
        check=_word_or_random,
        holds="net use Z: \\\\nas\\share «t1gerX» /user:anna",
        spares="net use Z: \\\\nas\\share /persistent:yes",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"sqlplus\s{{1,3}}(?:-\w{{1,3}}\s{{1,3}}){{0,2}}{QUOTE}?[\w.-]{{1,40}}/({BARE}{{3,80}}?)(?=@|\s|$)"
        ),
        hints=("sqlplus",),
        check=not_dummy,
        holds="sqlplus scott/«t1gerX»@db",
        spares="sqlplus /nolog",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?:wpa_passphrase\s{{1,3}}\S{{1,40}}|wifi connect\s{{1,3}}{QUOTE}?[^\n\"']{{1,40}}{QUOTE}?\s{{1,3}}password|-setairportnetwork\s\S{{1,8}}\s\S{{1,40}})\s{{1,3}}{QUOTE}?([^\s\"'<>]{{8,63}})"
        ),
        hints=("wpa_passphrase", "wifi connect", "-setairportnetwork"),
        where=PatternPlace.ANYWHERE,
        check=not_dummy,
        holds="wpa_passphrase HomeNet «t1gerXgarden»",
        spares="wpa_passphrase HomeNet",
    ),
    Pattern(
        kind="token",
        regex=re.compile(
            rf"(?i)(?:add-authtoken|authtoken|login --token|auth login|set-token|auth:token)\s{{1,3}}{QUOTE}?({BARE}{{16,300}})"
        ),
        hints=(
            "add-authtoken",
            "authtoken",
            "login --token",
            "auth login",
            "set-token",
            "auth:token",
        ),
        check=looks_random16,
        holds="ngrok config add-authtoken «q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE»",
        spares="ngrok config add-authtoken TOKEN",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)convertto-securestring\s{{1,3}}(?:-string\s{{1,3}})?{QUOTE}([^\n\"']{{3,200}}){QUOTE}"
        ),
        hints=("convertto-securestring",),
        check=not_dummy,
        holds='ConvertTo-SecureString "«t1ger X»" -AsPlainText -Force',
        spares="ConvertTo-SecureString $plain -AsPlainText -Force",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?:IDENTIFIED\s{{1,3}}(?:WITH\s{{1,3}}\S{{1,40}}\s{{1,3}})?BY\s{{1,3}}{QUOTE}?|(?i:identified\s{{1,3}}(?:with\s{{1,3}}\S{{1,40}}\s{{1,3}})?by\s{{1,3}})(?:\\{{0,7}}[\"']|(?=[^\s\d]{{0,40}}\d)(?=\S{{6}})))({BARE}{{3,200}})"
        ),
        hints=("identified",),
        check=_in_command,
        holds="CREATE USER anna IDENTIFIED BY '«t1gerX»'",
        spares="a user who is identified by their name and IDENTIFIED BY '<password>'",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)net1?(?:\.exe)?\s{{1,3}}user\s{{1,3}}{QUOTE}?[^\s\"'/]{{1,64}}{QUOTE}?\s{{1,3}}(?!{QUOTE}?[/*]){_VALUE}"
        ),
        hints=("net",),
        check=_new_password,
        holds="net user anna «t1gerX» /add",
        spares="net user anna /delete",
    ),
    Pattern(
        kind="password",
        # What a script types into another program.
        regex=re.compile(
            rf"(?i)(?:exp_)?(?:send|sendline|write)\s{{0,3}}(?:--?\s?|\(\s?)?{QUOTE}({BARE}{{4,200}})\\{{1,8}}[rn]"
        ),
        hints=("send", "exp_send", "write"),
        check=has_sign,
        holds='expect "assword:" { send "«t1gerX»\\r" }',
        spares='send "exit\\r"',
    ),
    Pattern(
        kind="password",
        # A setting or a protocol's command: the name, a blank and the value.
        regex=re.compile(
            rf"(?i)(?:requirepass|masterauth|pass|auth(?:\s{{1,2}}default)?|(?:snmp-server\s{{1,2}})?community|"
            rf"secret\s{{1,2}}\d|key-string|pre-shared-key|chpass|useradd\s[^\n|;]{{0,80}}?-p)\s{{1,3}}{QUOTE}?({BARE}{{6,200}})"
        ),
        hints=(
            "requirepass",
            "masterauth",
            "pass",
            "auth",
            "snmp-server",
            "community",
            "secret",
            "key-string",
            "pre-shared-key",
            "chpass",
            "useradd",
        ),
        check=_clearly_drawn,
        holds="requirepass «q7KxR2mZp4TwB9d»",
        spares="auth default user2024 and community edition-2",
    ),
)
