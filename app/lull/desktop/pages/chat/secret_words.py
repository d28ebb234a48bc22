"""Names in the user's language the kinds of secrets (passwords, keys, …) that Lull removed from a
conversation before it was stored.
"""

from __future__ import annotations

import re
from typing import Final

from lull.desktop.language.words import tr

REDACTED: Final = re.compile(r"⟨secret:([a-z0-9-]+):(\d+)⟩")
"""What stands in a stored text instead of a secret: its kind and its number in the conversation."""


def kind_words(kind: str) -> str:
    """Return the name of a kind of secret in the user's language, by its code.

    A kind that this window does not know is called a secret.
    """
    words = {
        "age-key": tr("age key"),
        "anthropic-key": tr("Anthropic key"),
        "atlassian-token": tr("Atlassian token"),
        "aws-key": tr("AWS key"),
        "azure-key": tr("Azure key"),
        "basic-auth": tr("sign-in data"),
        "bearer": tr("access token"),
        "bitbucket-token": tr("Bitbucket token"),
        "calendar-address": tr("secret calendar address"),
        "card": tr("card number"),
        "chat-token": tr("chat service token"),
        "ci-token": tr("build server token"),
        "cookie": tr("sign-in cookie"),
        "database-token": tr("database token"),
        "discord-token": tr("Discord token"),
        "facebook-token": tr("Facebook token"),
        "github-token": tr("GitHub token"),
        "gitlab-token": tr("GitLab token"),
        "google-key": tr("Google key"),
        "huggingface-token": tr("Hugging Face token"),
        "iban": tr("bank account number (IBAN)"),
        "jwt": tr("sign-in token (JWT)"),
        "macaroon": tr("access ticket"),
        "mail-key": tr("mail service key"),
        "model-key": tr("key for a language model"),
        "npm-token": tr("npm token"),
        "openai-key": tr("OpenAI key"),
        "otp-secret": tr("secret for one-time codes"),
        "password": tr("password"),
        "password-hash": tr("password hash"),
        "pay-token": tr("payment service token"),
        "personal-number": tr("tax, insurance or identity card number"),
        "pin": tr("PIN"),
        "private-key": tr("private key"),
        "protected-data": tr("encrypted data"),
        "pypi-token": tr("PyPI token"),
        "recovery-code": tr("recovery code"),
        "registry-token": tr("package registry token"),
        "seed-phrase": tr("recovery words of a wallet"),
        "sendgrid-key": tr("SendGrid key"),
        "service-token": tr("service token"),
        "shop-token": tr("shop token"),
        "sign-in": tr("sign-in data"),
        "slack-token": tr("Slack token"),
        "social-security-number": tr("social security number"),
        "stripe-key": tr("Stripe key"),
        "telegram-token": tr("Telegram token"),
        "terraform-token": tr("Terraform token"),
        "ticket": tr("access ticket"),
        "token": tr("token"),
        "twilio-key": tr("Twilio key"),
        "twitter-token": tr("Twitter token"),
        "url-key": tr("key in an address"),
        "url-password": tr("password in an address"),
        "wallet-key": tr("wallet key"),
        "watch-token": tr("error reporting token"),
        "webhook": tr("secret webhook address"),
    }
    return words.get(kind, tr("secret"))


def removed_kinds(text: str) -> list[str]:
    """Return the names of the kinds of secrets that were removed from a stored text, each once."""
    return list(dict.fromkeys(kind_words(found[1]) for found in REDACTED.finditer(text)))


def with_kinds_named(text: str) -> str:
    """Return a stored text as the user sees it: where a secret was removed, it names the secret's
    kind.
    """
    return REDACTED.sub(_shown, text)


def shown_secrets(text: str) -> list[str]:
    """Return the texts with which `with_kinds_named` names removed secrets in a stored text, so
    that they can be highlighted there.
    """
    return [_shown(found) for found in REDACTED.finditer(text)]


def _shown(found: re.Match[str]) -> str:
    return f"⟨{kind_words(found[1])} {found[2]}⟩"
