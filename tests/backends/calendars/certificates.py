"""Throw-away certificates for a server on loopback, made anew for each run."""

from __future__ import annotations

import ipaddress
import ssl
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

NAMES = ("localhost", "calendar.test")
ADDRESSES = ("127.0.0.1", "127.0.0.2")


@dataclass(frozen=True, slots=True)
class Certificate:
    """A self-signed TLS certificate: a client that trusts its file trusts the server with it."""

    file: Path
    key: Path

    def server(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file, self.key)
        return context

    def trusted(self) -> ssl.SSLContext:
        """Return a client's default TLS settings, with this certificate as the only authority."""
        return ssl.create_default_context(cafile=str(self.file))


def make(folder: Path, *, names: tuple[str, ...] = NAMES, days: int = 2) -> Certificate:
    """Make a self-signed certificate, valid for `days`; with negative days it has expired."""
    folder.mkdir(parents=True, exist_ok=True)
    made = Certificate(folder / "certificate.pem", folder / "key.pem")
    try:
        import cryptography  # noqa: F401  the keychain of Linux brings it
    except ImportError:
        _with_openssl(made, names, days)
    else:
        _with_python(made, names, days)
    return made


def _with_python(made: Certificate, names: tuple[str, ...], days: int) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "A test of Lull")])
    ends = datetime.now(UTC) + timedelta(days=days)
    alternatives = [
        *(x509.DNSName(one) for one in names),
        *(x509.IPAddress(ipaddress.ip_address(one)) for one in ADDRESSES),
    ]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(ends - timedelta(days=30))
        .not_valid_after(ends)
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    made.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    made.key.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


def _with_openssl(made: Certificate, names: tuple[str, ...], days: int) -> None:
    alternatives = [f"DNS:{one}" for one in names] + [f"IP:{one}" for one in ADDRESSES]
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Lull"),
            *("-keyout", str(made.key), "-out", str(made.file), "-days", str(days)),
            *("-addext", "subjectAltName=" + ",".join(alternatives)),
        ],
        check=True,
        capture_output=True,
    )
