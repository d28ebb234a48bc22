"""Words that name a secret ("password", "PIN", …), by their stems, in some sixty languages.

A stem is enough because most languages add endings: Swedish `lösenordet`, Turkish `şifresi`,
Hungarian `jelszavam`.
"""

from __future__ import annotations

from typing import Final

from lull.core.secrets.values.pattern import QUOTE, SecretNames

_LATIN_WORD: Final = """
password passwd passwort passphrase passcode psswd pswd kennwort wachtwoord wachtzin wagwoord
wachtwurd lösenord lösenfras losenord adgangskode kodeord passord passordfrase salasana tunnuslause
lykilorð aðgangsorð contraseña contrasena contrasenya contrasinal slaptažod slaptazod jelszó jelszav
jelszo hasło hasła haśle haslo fjalëkalim lozink pasahitz pasvort nenosiri cyfrinair pasfhocal
passwuert
""".split()  # noqa: SIM905  a list would be forty lines
"""Stems that may stand in the middle of a word, as in `Wifi-Passwort` and `rootpassword`."""
_LATIN_BEGIN: Final = (
    "pwd", "psw", "losung", "mot de passe", "mots de passe", "mot_de_passe", "mot-de-passe", "motdepasse", "phrase de passe",
    "phrase secrète", "senha", "palavra-passe", "palavra passe", "palavra de passe", "frase-passe", "frase de contraseña",
    "parola", "parole", "parolei", "parol", "parool", "şifre", "sifre", "şifrə", "heslo", "hesla", "geslo", "šifra",
    "kata sandi", "kata laluan", "kata kunci", "mật khẩu", "mat khau", "lösen ", "løsen ", "pass phrase", "pass word", "pass-phrase",
    "pass_phrase", "pass_word", "security question", "security answer", "sicherheitsfrage",
    "snmp community", "snmp_community", "snmp-community", "snmpcommunity", "community string", "comunidad snmp", "communauté snmp",
)  # fmt: skip
"""Stems that begin a word: in the middle of one they are something else (pt. `desenhar`)."""
_OTHER: Final = (
    "пароль", "парол", "кодовая фраза", "кодовое слово", "лозинк", "шифра", "құпиясөз", "нууц үг", "συνθηματικ", "κωδικ",
    "գաղտնաբառ", "პაროლ", "סיסמ", "كلمة المرور", "كلمة مرور", "كلمة السر", "كلمة سر", "باسورد", "رمز عبور", "گذرواژه", "پسورد", "پاس ورڈ",
    "पासवर्ड", "कूटशब्द", "পাসওয়ার্ড", "பாஸ்வேர்ட்", "கடவுச்சொல்", "పాస్‌వర్డ్", "పాస్వర్డ్", "ಪಾಸ್ವರ್ಡ್", "പാസ്‌വേഡ്", "પાસવર્ડ", "ਪਾਸਵਰਡ",
    "මුරපදය", "รหัสผ่าน", "พาสเวิร์ด", "ລະຫັດຜ່ານ", "ពាក្យសម្ងាត់", "စကားဝှက်", "비밀번호", "비밀 번호", "비번", "패스워드", "암호",
    "パスワード", "パスフレーズ", "暗証番号", "合言葉", "密码", "密碼", "口令",
)  # fmt: skip

_LOWER: Final = r"[a-z\u00df-\u024f\u1ea0-\u1eff\u0300-\u036f]"
_TAIL: Final = rf"{_LOWER}{{0,10}}(?:[_.-]?(?:\d{{1,2}}|value|plain|text|plaintext|prod|dev|staging|live|db|root|admin|new|old))?{QUOTE}?(?:\*{{1,2}})?"
_OTHER_TAIL: Final = r"(?:(?![「『“«：。、，])[^\x00-\x7f]){0,12}"

PASSWORDS: Final = SecretNames(
    stems=tuple(_LATIN_WORD),
    begins=_LATIN_BEGIN,
    rest=_TAIL,
)
PASSPHRASES: Final = SecretNames(
    stems=("passphrase", "pass phrase", "pass-phrase", "phrase de passe", "phrase secrète", "lösenfras", "wachtzin", "passordfrase", "frase de contraseña", "frase-passe", "tunnuslause", "парольная фраза", "кодовая фраза"),
    rest=_TAIL,
)  # fmt: skip
PASSWORDS_ELSEWHERE: Final = SecretNames(stems=_OTHER, rest=_OTHER_TAIL)
"""Words for "password" in scripts in which a value in Latin letters stands out by itself."""

_SECRETS: Final = (
    "apikey", "api key", "api_key", "api-key", "api token", "api_token", "api-token", "access key", "access_key", "accesskey",
    "access token", "access_token", "accesstoken", "secret", "auth token", "auth_token", "authtoken", "bearer", "private key",
    "private_key", "privatekey", "signing key", "encryption key", "encryption_key", "encryptionkey", "deploy key", "license key",
    "recovery key", "appkey", "app key", "app_key", "device code", "device_code", "code verifier", "code_verifier", "session id", "session-id", "session key", "refresh token", "webhook secret", "subscription key", "setup key",
    "api-schlüssel", "zugangsschlüssel", "geheimer schlüssel", "zugriffsschlüssel", "jeton d'accès", "jeton d’accès", "token d'accès", "token de acceso", "token di accesso", "zugriffstoken", "zugangstoken", "toegangstoken", "clé api", "clé d'api", "clé secrète", "clé privée", "clave privada", "privater schlüssel", "chiave privata", "chave privada", "unseal key", "unseal_key",
    "clave api", "clave secreta", "clave de api", "chiave api", "chiave segreta", "chave api", "chave de api", "chave secreta",
    "api-nyckel", "hemlig nyckel", "api-nøgle", "api-nøkkel", "api-sleutel", "geheime sleutel", "klucz api", "api klíč",
    "api anahtar", "gizli anahtar", "api kulcs", "cheie api", "khóa api", "kunci api", "api-avain",
)  # fmt: skip
_SECRETS_ELSEWHERE: Final = (
    "ключ api", "api-ключ", "api ключ", "секретный ключ", "токен", "секрет", "κλειδί api", "api 키", "api키", "비밀 키", "토큰",
    "apiキー", "api キー", "シークレット", "トークン", "秘密鍵", "アクセスキー", "api密钥", "api 密钥", "密钥", "密鑰", "金鑰", "令牌",
    "访问令牌", "مفتاح api", "רמז api", "מפתח api", "کلید api", "คีย์ api",
)  # fmt: skip
SECRETS: Final = SecretNames(stems=_SECRETS, rest=_TAIL)
SECRETS_ELSEWHERE: Final = SecretNames(stems=_SECRETS_ELSEWHERE, rest=_OTHER_TAIL)
SHORT: Final = SecretNames(
    begins=("token", "key", "pin", "psk", "mfa", "sig", "totp", "otp", "cookie", "credential"),
    rest=rf"(?!{_LOWER})(?:[ _.-]?\d{{1,2}})?{QUOTE}?(?:\*{{1,2}})?",
)  # fmt: skip
"""Short names of secrets, such as "pin", which count only as whole words, because longer words
begin with them.
"""
KEYS: Final = SecretNames(
    begins=("token", "key", "psk", "cookie", "credential", "clé", "llave", "chiave", "chave"),
    rest=SHORT.rest.pattern,
)
"""Those of the short names that are names in a sentence, too: one may "pin" a version."""
SHORT_PASSWORDS: Final = SecretNames(
    begins=("pass", "pw", "pwd", "pswd", "mdp", "clave", "cred", "creds"), rest=SHORT.rest.pattern
)
