"""Patterns of API tokens that begin with a prefix of their issuer's, such as `e2b_`; one line for
each kind of token.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from lull.core.secrets.values.judging import count_changes, may_be_random
from lull.core.secrets.values.letters import are_random_letters
from lull.core.secrets.values.pattern import SHORTEST_DENSE_RUN, Pattern

_ALPHABETS: Final = {
    "word": "A-Za-z0-9",
    "url": "A-Za-z0-9_-",
    "url.": "A-Za-z0-9_.=-",
    "base64": "A-Za-z0-9+/=_-",
    "hex": "0-9a-fA-F",
    "capital": "A-Z0-9",
    "small": "a-z0-9",
    "small$": "a-z0-9$",
    "uuid": "0-9a-fA-F-",
}

# kind | prefixes | alphabet | fewest characters after the prefix
_FAMILIES: Final = """
private-key      | RWRTY0Iy RWRCSw                                       | base64  | 80
aws-key          | amzn.mws.                                             | uuid    | 36
service-token    | e2b_ e2b_sk_                                          | hex     | 40
service-token    | pnu_ pnb_                                             | small   | 36
service-token    | eyJhIjoi                                              | base64  | 100
service-token    | p8e-                                                  | hex     | 32
service-token    | ico- dnkey- tk-us- tk-eu- waka_tok_ vtwn_ tss_        | url     | 25
service-token    | s-s4t2ud- s-s4t2af-                                   | hex     | 64
service-token    | sm_pat_ sm_aat_ sm_sat_ samsara_api_                  | word    | 16
service-token    | waka_ waka_sec_ pm-                                   | uuid    | 36
service-token    | API-                                                  | capital | 26
service-token    | os_v2_app_ os_v2_org_ pdl_live_apikey_ pdl_sdbx_apikey_ dvc_server_ dvc_mobile_ | url | 30
service-token    | rootly_ rootlyshift_                                  | hex     | 64
service-token    | LMv1: lmb_ hawk. na1. AKLT AKTP                       | base64  | 40
service-token    | $aact_prod_ $aact_hmlg_ $aact_                        | base64  | 60
registry-token   | cmVmd                                                 | word    | 59
age-key          | AGE-SECRET-KEY-1                                      | capital | 40
aws-key          | AKIA ASIA AGPA AIDA AROA ABIA ACCA ANPA ANVA AIPA     | capital | 16
aws-key          | ABSK bedrock-api-key-                                 | base64  | 60
aws-key          | IQoJb3JpZ2lu FwoGZXIvYXdz                             | base64  | 60
github-token     | ghp_ gho_ ghu_ ghs_ ghr_                              | word    | 36
github-token     | github_pat_                                           | url     | 22
gitlab-token     | glpat- glrt- gldt- glptt- glcbt- glft- glimt- glagent- gloas- glsoat- glffct- glwt- | url. | 20
gitlab-token     | GR1348941                                             | url     | 20
bitbucket-token  | ATBB                                                  | url.    | 24
anthropic-key    | sk-ant-                                               | url     | 20
openai-key       | sk-proj- sk-svcacct- sk-admin-                        | url     | 20
huggingface-token| hf_ api_org_                                          | word    | 30
model-key        | gsk_ xai- pplx- r8_ nvapi- csk- jina_ pcsk_ tvly- lsv2_pt_ lsv2_sk_ tgp_v1_ fc- | url | 30
model-key        | fw_ nk-                                               | url     | 22
model-key        | sk-lf- pk-lf-                                         | uuid    | 32
model-key        | tvly-dev- voyage- pa- apify_api_ esecret_ exa_ | url     | 28
slack-token      | xoxb- xoxp- xoxa- xoxo- xoxr- xoxs- xoxe- xapp-       | url     | 10
slack-token      | xoxe. xoxd- xoxc-                                     | url.    | 20
google-key       | AIza                                                  | url     | 35
google-key       | GOCSPX-                                               | url     | 20
google-key       | ya29.                                                 | url.    | 20
google-key       | 4/0A g.a000                                           | url     | 40
google-key       | 1//0                                                  | url     | 30
stripe-key       | sk_live_ sk_test_ rk_live_ rk_test_                   | word    | 16
stripe-key       | pk_live_ pk_test_                                     | word    | 20
stripe-key       | whsec_                                                | base64  | 24
npm-token        | npm_                                                  | word    | 36
pypi-token       | pypi-                                                 | url     | 40
shop-token       | shpat_ shpca_ shppa_ shpss_ shptka_ shpua_ shprt_     | hex     | 32
shop-token       | sq0atp- sq0csp- sq0idp-                               | url     | 22
shop-token       | EAAA                                                  | url     | 50
pay-token        | access_token$production$ access_token$sandbox$        | small$  | 40
pay-token        | access_token$production access_token$sandbox          | small   | 32
pay-token        | rzp_live_ rzp_test_                                   | word    | 14
pay-token        | FLWSECK- FLWSECK_TEST- FLWPUBK-                       | url     | 16
pay-token        | access-production- access-sandbox- access-development- public-production- | uuid | 32
pay-token        | live_ test_                                           | word    | 30
pay-token        | shippo_live_ shippo_test_ duffel_live_ duffel_test_ gocardless_ | url | 30
pay-token        | AQE                                                   | base64  | 50
pay-token        | EZAK EZTK                                             | word    | 50
mail-key         | key-                                                  | hex     | 32
mail-key         | xkeysib- xsmtpsib-                                    | url     | 60
mail-key         | re_ md-                                               | url     | 22
mail-key         | mlsn.                                                 | hex     | 50
sendgrid-key     | SG.                                                   | url.    | 40
twilio-key       | SK                                                    | hex     | 32
facebook-token   | EAA EAAC EAAG                                         | word    | 80
facebook-token   | IGQV IGQW IGAA                                        | url     | 80
twitter-token    | AAAAAAAAAAAAAAAAAAAAA                                 | base64  | 40
registry-token   | rubygems_                                             | hex     | 48
registry-token   | cio                                                   | word    | 32
registry-token   | oy2                                                   | small   | 43
registry-token   | dckr_pat_ dckr_oat_                                   | url     | 20
registry-token   | AKC AP6 AP5                                           | word    | 60
registry-token   | cmVmdGtu                                              | word    | 40
registry-token   | CLOJARS_ packagist_ort_ packagist_uut_ packagist_out_ | word    | 50
registry-token   | hexpm_ JSR_ jsrp_ jsrd_ deno_                         | word    | 30
service-token    | dop_v1_ doo_v1_ dor_v1_                               | hex     | 64
service-token    | v1.0-                                                 | uuid    | 140
service-token    | HRKU-                                         | uuid    | 36
service-token    | HRKU-AA                                               | url     | 40
service-token    | fm2_ fm1r_ fm1a_ fo1_                                 | base64  | 40
service-token    | nfp_ nfc_ nfo_ nfu_ rnd_ vcp_ vci_ vca_ vcr_ vck_     | word    | 24
service-token    | LTAI                                                  | word    | 16
service-token    | AKID                                                  | word    | 32
service-token    | cfut_ cfat_ cfk_ cfoat_ scw_ exoscale_ hcp_ upcloud_ ucat_ | url | 30
service-token    | EXO                                                   | word    | 24
service-token    | t1. y0_ AQVN YCAJ YCM YCN YCO YCP                     | url.    | 34
service-token    | koyeb_ railway_ rwsk_                    | url     | 30
service-token    | hvs. hvb. hvr. s.hvs.                                 | url     | 20
service-token    | pul-                                                  | hex     | 40
service-token    | dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.        | url.    | 30
service-token    | ops_eyJ                                               | base64  | 100
service-token    | st.                                                   | url.    | 60
watch-token      | NRAK- NRRA- NRSP- NRBR-                               | capital | 19
watch-token      | NRAK- NRII- NRIQ- NRJS- NRRA-                         | url     | 19
watch-token      | glsa_                                                 | url     | 32
watch-token      | glc_ eyJrIjoi                                         | base64  | 32
watch-token      | sntrys_                                               | base64  | 60
watch-token      | sntryu_ sntrya_ sntryi_                               | hex     | 40
watch-token      | hcaik_ hcxik_ hcalk_ hcamk_ hcxlk_ hcxmk_ hcbik_      | small   | 20
watch-token      | phx_ phc_ pha_ phr_ phs_                              | word    | 32
watch-token      | dt0c01. dt0s01. dt0s02. dt0s08. dt0s16.               | url.    | 60
watch-token      | ddp_ ddapp_ bst_ logz_ ntf_ squadcast_                | word    | 32
ci-token         | CCIPAT_ CCIPRJ_                                       | url     | 40
ci-token         | bkua_ bkpt_ bkaj_ bkct_ bkpat_                        | hex     | 32
ci-token         | sqp_ squ_ sqa_                                        | hex     | 40
ci-token         | snyk_uat. snyk_sat.                                   | url.    | 30
ci-token         | tkn_v1_ PAT_ depot_org_ depot_project_ dop_agent_     | url     | 40
atlassian-token  | ATATT3 ATCTT3 ATSTT3 ATOAT                            | url.    | 50
service-token    | lin_api_ lin_oauth_                                   | word    | 32
service-token    | ntn_                                                  | word    | 40
service-token    | secret_                                               | word    | 40
service-token    | figd_ figo_ figdr_ figor_                             | url     | 30
service-token    | sl.                                                   | url.    | 100
service-token    | pat-na1- pat-eu1- pat-na2- pat-ap1- pat-au1-          | uuid    | 36
service-token    | dG9rO                                                 | base64  | 40
service-token    | tfp_ CFPAT- CFPAT_ fio-u- rdme_ PMAK- PMAT- apk_live_ | url     | 40
service-token    | dapi dkea dose dsapi                                  | hex     | 32
service-token    | NRAL-                                                 | word    | 30
service-token    | sdk- api- mob-                                        | uuid    | 36
service-token    | tskey- | url | 20
service-token    | EZ00 ghost_admin_ glb_ cal_ lip_ figma_ sgp_ slk_ sct_ ssk_ pk_prod_ typ_ mapbox_ miro_ zpk_ zpt_ | url | 38
service-token    | shub_ sk_prod_ ak_live_ api_live_ key_live_ secret_live_ token_live_ | url | 20
service-token    | sk_ pk_ ak_ rk_ api_ pat_ tok_ tkn_ key_ token_ auth_ sess_ ses_ | hex | 32
service-token    | sk_ pk_ ak_ pat_ tok_ tkn_ sess_                      | word    | 32
database-token   | sbp_ sbp_oauth_                                       | hex     | 40
database-token   | sb_secret_ pscale_tkn_ pscale_pw_ pscale_oauth_ napi_ fnAE fnAF | url | 30
database-token   | sb_publishable_ xau_ cockroach_ CCDB1_                | url     | 20
"""

_SAMPLES: Final = {
    "capital": "Q7KX2MZP4RTW9BDH3",
    "hex": "9f86d081e4c7a2b35",
    "uuid": "9f86d081e4c7a2b35",
    "small": "q7kx2mzp4rtw9bdh3",
    "small$": "q7kx2mzp4rtw9bdh3",
}
_SAMPLE: Final = "q7KxR2mZp4TwB9dHc"


def _family(kind: str, prefix: str, alphabet: str, least: int) -> Pattern:
    sample = _SAMPLES.get(alphabet, _SAMPLE) * (least // 17 + 1)
    inside = _ALPHABETS[alphabet]
    return Pattern(
        kind=kind,
        # A digest of another length is not a token of this family.
        regex=re.compile(f"{re.escape(prefix)}[{inside}]{{{least},}}(?![A-Za-z0-9])"),
        hints=(prefix.lower(),),
        dense=len(prefix) + least >= SHORTEST_DENSE_RUN,
        check=_behind(len(prefix)),
        holds=f"«{prefix}{sample[:least]}»",
        spares=f"{prefix}{sample[: min(least // 2 - 3, 11)]}",
        in_a_name=_drawn_behind(prefix, alphabet),
        not_before=_PLACEHOLDER,
    )


_PLACEHOLDER: Final = re.compile(r"⟨secret:$")
_PARTS: Final = re.compile(r"[^A-Za-z0-9]+")
_PARTS_OF_NAMES: Final = frozenset(
    """
    key sk pk ak rk api pat tok tkn token auth sess ses secret live test prod re md st sl cal pa nk fw pm sm pn id
    """.split()  # noqa: SIM905  as the other lists of words
)
"""What names in code are made of as well as prefixes of tokens."""


def _behind(prefix: int) -> Callable[[str], bool]:
    return lambda token: may_be_random(token[prefix:])


def _drawn_behind(prefix: str, alphabet: str) -> Callable[[str], bool]:
    """The test for a token that goes on a longer name, as in `x-ghp_…`: there its body must clearly
    be drawn at random, since `task-sk-1` is a name, and `cache-key-` stands before a digest.
    """
    of_names = _PARTS_OF_NAMES.issuperset(_PARTS.split(prefix.lower().strip("_-.")))

    def drawn(token: str) -> bool:
        body = token[len(prefix) :]
        if re.fullmatch("[0-9a-f-]+", body):
            digest = of_names or alphabet not in ("hex", "uuid", "small")
            return not digest and len(set(body)) >= 8
        pieces = _PARTS.split(body)
        if not any(c.isdigit() for c in body):
            return are_random_letters(max(pieces, key=len))
        if alphabet == "capital" and not of_names:
            return True
        return any(count_changes(one) >= max(4, len(one) // 6) for one in (body, *pieces))

    return drawn


def _families() -> tuple[Pattern, ...]:
    rows = [line.split("|") for line in _FAMILIES.strip().splitlines()]
    return tuple(
        _family(kind.strip(), prefix, alphabet.strip(), int(least))
        for kind, prefixes, alphabet, least in rows
        for prefix in prefixes.split()
    )


ISSUERS: Final = _families()
