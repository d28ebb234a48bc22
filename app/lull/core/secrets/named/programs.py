"""Patterns of passwords that stand in a certain place of a program's command line."""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.values.judging import has_sign, looks_random, not_dummy
from lull.core.secrets.values.pattern import BARE, QUOTE, Pattern, PatternPlace

_VALUE: Final = rf"{QUOTE}?({BARE}{{4,200}})"
_NAME: Final = rf"{QUOTE}?[\w.@\\/-]{{1,64}}{QUOTE}?"


def _typed(value: str) -> bool:
    """Whether a word in a password's place was typed as one: no flag, path, address or variable."""
    return (
        not_dummy(value)
        and not re.match(r"[$/@%~.<>|*-]|\w+://", value)
        and (has_sign(value) or (value.isalnum() and len(value) >= 6 and not value.isdigit()))
    )


def _sure(value: str) -> bool:
    return _typed(value) and has_sign(value)


# program | what stands between it and the password | example | near miss
# Each repetition has a bound, or else one line of flags takes time that grows with its square or
# worse; a `+` behind it keeps it from trying fewer where what follows cannot stand in it.
_ROWS: Final = rf"""
http|https|xh        ;; [^\n|;]*?(?:-a|--auth)[ =]{QUOTE}?[\w.@-]{{1,64}}: ;; http -a anna:«t1gerX» example.com ;; http -a anna: example.com
smbclient|smbmap     ;; \s\S{{3,120}}[ \t][^\n|]*?-U[ \t]{_NAME}[ \t] ;; smbclient //srv/s -U anna «t1gerX» ;; smbclient //srv/s -U anna -c
htpasswd             ;; [ \t]-(?=[A-Za-z]{{0,10}}n)[A-Za-z]{{1,12}}+[ \t]{_NAME}[ \t] ;; htpasswd -nb anna «t1gerX» ;; htpasswd -n anna
openssl passwd       ;; (?:[ \t]-[\w-]{{1,40}}+(?:[ \t](?=-))?|[ \t]-salt\s\S{{1,80}}+){{0,6}}[ \t] ;; openssl passwd -6 «t1gerX» ;; openssl passwd -6 -stdin
openssl|dgst         ;; [ \t][^\n|;]*?-(?:hmac|k|K|macopt (?:hex)?key:)[ \t]? ;; openssl dgst -sha256 -hmac «t1gerX» file ;; openssl dgst -sha256 -hex file
ssh-keygen           ;; [ \t][^\n|;]*?-[NP][ \t] ;; ssh-keygen -t ed25519 -N «t1gerX» -f k ;; ssh-keygen -t ed25519 -f k2024
expdp|impdp|exp|imp|sqlldr|rman|sqlcl|sql ;; [ \t](?:target[ \t])?{QUOTE}?[A-Za-z]\w{{0,30}}/ ;; expdp system/«t1gerX»@orcl full=y ;; imp scott/ file=a.dmp
snmpwalk|snmpget|snmpset|snmpbulkwalk|snmptrap|snmpbulkget|onesixtyone ;; [ \t][^\n|;]*?-(?:c|A|X)[ \t] ;; snmpwalk -v2c -c «t1gerX» 10.0.0.1 ;; snmpwalk -v2c 10.0.0.1
useradd|usermod      ;; [ \t][^\n|;]*?(?:-p|--password)[ \t] ;; useradd -m -p «t1gerX» anna ;; useradd -m anna2
netsh                ;; [ \t][^\n|]*?key(?:material)?= ;; netsh wlan set hostednetwork key=«t1gerX» ;; netsh wlan show profile home2
printf               ;; [ \t]{QUOTE}%s(?:\\\\n|%s|:|\\n){{0,4}}{QUOTE}[ \t](?:\w{{1,80}}+[ \t])? ;; printf '%s' «t1gerX» | passwd anna ;; printf '%s' done
requirepass|masterauth|masterpass|sasl_password|rootpw|bindpw|olcrootpw|vncpasswd ;; [ \t]{{1,4}} ;; requirepass «tiger5739» ;; requirepass off
adb                  ;; [ \t]shell[ \t]input[ \t](?:keyboard[ \t])?text[ \t] ;; adb shell input text «t1gerX» ;; adb shell input keyevent 26
\w+\.py|impacket-\w+ ;; [ \t](?:-\S{{1,120}}+[ \t]){{0,8}}{QUOTE}?[\w.-]{{1,40}}/[\w.-]{{1,40}}: ;; psexec.py dom/anna:«t1gerX»@10.0.0.1 ;; psexec.py dom/anna@10.0.0.1
doctl|flyctl|fly|vercel|netlify|hcloud|linode-cli|railway|wrangler|gh|glab|cargo|npm|pulumi|doppler|sentry-cli|snyk|surge ;; [ \t][^\n|;]*?(?:-t|--token|login|auth set|token)[ \t] ;; cargo login «q7KxR2mZp4TwB9dHc8L» ;; cargo login --registry a2b3c4d5
twine|poetry|uv publish|flit|hatch ;; [ \t][^\n|;]*?(?:-p|pypi-token\.\w{{1,64}}+|http-basic\.\w{{1,64}}+\s\S{{1,200}}+)[ \t] ;; twine upload -u anna -p «t1gerX» dist/a ;; twine upload -r testpypi2 dist/a
rabbitmqctl          ;; [ \t](?:add_user|change_password|authenticate_user)[ \t]{_NAME}[ \t] ;; rabbitmqctl add_user anna «t1gerX» ;; rabbitmqctl set_user_tags anna admin2x
mc|mcli              ;; [ \t]alias[ \t]set\s\S{{1,200}}+\s\S{{1,200}}+\s\S{{1,200}}+[ \t] ;; mc alias set m https://x anna «t1gerX» ;; mc alias list my-minio2
pdftk                ;; [ \t][^\n|;]*?(?:user_pw|owner_pw|input_pw)[ \t](?:\w=)? ;; pdftk a.pdf output b.pdf user_pw «t1gerX» ;; pdftk a.pdf output b2024.pdf
qpdf                 ;; [ \t][^\n|;]*?--encrypt[ \t] ;; qpdf --encrypt «t1gerX» own 256 -- a.pdf ;; qpdf --linearize a2b.pdf
qpdf                 ;; [ \t][^\n|;]*?--encrypt\s\S{{1,200}}+[ \t] ;; qpdf --encrypt a «t1gerX» 256 -- a.pdf ;; qpdf --encrypt --linearize 256
net                  ;; [ \t]use[ \t][^\n]*?(?:/u(?:ser)?:\S{{1,64}}[ \t])(?!/) ;; net use * \\\[ \t]rv\[ \t] /user:anna «t1gerX» ;; net use * \\\[ \t]rv\[ \t] /user:anna /savecred
passwd|mysqladmin    ;; [ \t][^\n|;]*?password[ \t] ;; mysqladmin -u root password «t1gerX» ;; mysqladmin -u root ping2x
openvpn|vncviewer|x11vnc|tightvncpasswd|vncdo|wayvnc ;; [ \t][^\n|;]*?-(?:passwd|p|-password)[ \t] ;; x11vnc -passwd «t1gerX» ;; x11vnc -rfbauth x2y
oathtool|mintotp|totp|2fa ;; [ \t][^\n|;]*?(?<=[ \t])(?:-b|--base32|add)?[ \t]? ;; oathtool --totp -b «FYO2ZEPSDW2PY5V2» ;; oathtool --totp --digits6
chpasswd|mkpasswd|slappasswd|caddy hash-password|doveadm pw|grub-mkpasswd ;; [ \t](?:-[ms]\s\S{{1,80}}+[ \t]|--plaintext[ \t]|-[smp][ \t]){{0,6}} ;; mkpasswd -m sha-512 «t1gerX» ;; mkpasswd -m sha-512
gh secret|glab variable|heroku config|vercel env|netlify env|fly secrets|flyctl secrets|wrangler secret ;; :?[\w: ]{{0,40}}?[ \t]set[ \t][^\n|;]*?(?:--body[ =]|-b[ =]|-v[ =]|[A-Z_]{{1,80}}+[= ](?!-)) ;; gh secret set DEPLOY --body «q7KxR2mZp4TwB9d» ;; gh secret set DEPLOY --repo acme2
setx|set|setenv|launchctl setenv ;; [ \t](?:-\w{{1,40}}+[ \t]){{0,6}}{QUOTE}?\w{{0,64}}(?:PASS|PASSWORD|SECRET|TOKEN|KEY|PW|PWD)\w{{0,64}}+{QUOTE}?[ =,][ \t]? ;; setx API_SECRET «q7KxR2mZp4TwB9d» ;; setx API_SECRET_NAME main
security             ;; [ \t]add-(?:generic|internet)-password[ \t][^\n|;]*?-w[ \t] ;; security add-generic-password -a anna -s mail -w «t1gerX» ;; security add-generic-password -a anna2 -s mail
rclone               ;; [ \t]obscure[ \t] ;; rclone obscure «t1gerX» ;; rclone obscure -h
veracrypt|truecrypt  ;; [ \t][^\n|;]*?(?:-p|--password)[ =] ;; veracrypt -t -p «t1gerX» vol /mnt ;; veracrypt -t vol2 /mnt
az keyvault secret set|aws ssm put-parameter|gcloud secrets ;; [ \t][^\n|;]*?--value[ =] ;; az keyvault secret set --name a --value «t1gerX» ;; az keyvault secret set --name a2b --file f
wg                   ;; [ \t]set[ \t][^\n|;]*?(?:private|preshared)-key[ \t]<\((?:echo|printf)[ \t] ;; wg set wg0 private-key <(echo «q7KxR2mZp4TwB9dHc8LnV5») ;; wg set wg0 private-key <(echo $KEY)
"""
_HINT_OF: Final = re.compile(r"[a-z][a-z0-9_ -]*")


def _rows() -> tuple[Pattern, ...]:
    found = []
    for row in _ROWS.strip().splitlines():
        program, between, holds, spares = (cell.strip(" ") for cell in row.split(";; "))
        between = row.split(";; ")[1].rstrip(" ")
        names = tuple(name.strip() for name in program.split("|"))
        hints = tuple(name for name in names if _HINT_OF.fullmatch(name)) + (
            (".py", "impacket-") if "py" in program and "\\" in program else ()
        )
        regex = rf"(?i:{program.strip()}){between}{_VALUE}"
        if ".py" in hints:
            regex = rf"(?:\.py|impacket-\w{{1,40}}+){between}{_VALUE}"
        found.append(
            Pattern(
                kind="password",
                regex=re.compile(
                    regex.replace("[^\\n|;]*?", "[^\\n|;]{0,120}?")
                    .replace("[^\\n]*?", "[^\\n]{0,120}?")
                    .replace("[^\\n|]*?", "[^\\n|]{0,120}?")
                ),
                hints=hints,
                where=PatternPlace.ANYWHERE if ".py" in hints else PatternPlace.WORD,
                check=_sure,
                holds=holds.replace("\\\\", "\\"),
                spares=spares.replace("\\\\", "\\"),
            )
        )
    return tuple(found)


PROGRAMS: Final = (
    *_rows(),
    Pattern(
        kind="password",
        # What a mail or file server is told: USER anna, then PASS …
        regex=re.compile(
            rf"(?:PASS|AUTH(?: default| \w{{1,32}})?|LOGIN {_NAME}|user {_NAME}|USER {_NAME}) {_VALUE}(?=\s|\\|[\"'`<]|$)"
        ),
        hints=("pass ", "auth ", "login ", "user "),
        check=_sure,
        holds="a1 LOGIN anna «t1gerX»",
        spares="LOGIN anna SUCCEEDED",
    ),
    Pattern(
        kind="password",
        # echo PASSWORD in a setting that takes a command.
        regex=re.compile(
            rf"(?i)pass(?:word)?[_-]?(?:eval|cmd|command){QUOTE}?\s?[=:]?\s?{QUOTE}?(?:echo|printf)\s{_VALUE}"
        ),
        hints=("pass",),
        where=PatternPlace.ANYWHERE,
        check=_sure,
        holds='passwordeval "echo «t1gerX»"',
        spares='passwordeval "echo $PASS"',
    ),
    Pattern(
        kind="token",
        regex=re.compile(
            rf"(?:\s|\\n|^)(?:-t|--?(?:auth|api)[_-]?(?:key|token)|--authkey|--with-token|--otp|authtoken)[ =]{QUOTE}?({BARE}{{20,400}})"
        ),
        hints=(" -t", " --auth", " --api", " -auth", " authtoken"),
        where=PatternPlace.ANYWHERE,
        check=lambda value: looks_random(value, least=20),
        holds="tool auth init -t «q7KxR2mZp4TwB9dHc8LnV5»",
        spares="tar -t /srv/a1b2c3d4e5",
    ),
)
