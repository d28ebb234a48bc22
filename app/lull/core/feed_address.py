"""Where a calendar may be fetched from: which addresses belong to the open network.

A feed's address is typed by the user, but every redirect and every name behind it is chosen by
somebody else, who must not be able to point Lull at this machine, at the router, or at the
metadata service of a cloud machine. Decides about addresses alone; names are resolved, and the
connection made to exactly what was judged, in `backends/ics_fetch.py`.

The blocks stand here and are not asked of `ipaddress`: what its `is_global` says of 6to4 or of
192.0.0.0/24 differs between patch releases of one Python.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from enum import StrEnum

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Block = ipaddress.IPv4Network | ipaddress.IPv6Network

_GLOBAL_6 = ipaddress.IPv6Network("2000::/3")
"""The only block of IPv6 from which global unicast addresses are given out (RFC 4291, 2.4, and
IANA's registry of IPv6 address space)."""
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""Holds an IPv4 address in its last 32 bits (RFC 6052)."""
_HOME = tuple(
    ipaddress.ip_network(block)
    for block in (
        *("127.0.0.0/8", "::1/128"),
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),  # RFC 1918
        *("100.64.0.0/10", "fc00::/7"),  # RFC 6598, which home VPNs use; RFC 4193
    )
)
_NOT_GLOBAL = tuple(
    ipaddress.ip_network(block)
    for block in (
        "0.0.0.0/8",  # this network (RFC 791)
        "169.254.0.0/16",  # link-local (RFC 3927)
        "192.0.0.0/24",  # kept for protocols (RFC 6890), the two anycast ones in it as well
        "192.0.2.0/24",  # documentation (RFC 5737), with the two below
        "192.88.99.0/24",  # the relays that 6to4 once had (RFC 7526)
        "198.18.0.0/15",  # measuring of networks (RFC 2544)
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast (RFC 5771)
        "240.0.0.0/4",  # reserved, and broadcast at its end (RFC 1112, RFC 8190)
        "2001::/23",  # protocols (RFC 2928): Teredo, ORCHID, benchmarks, anycast; no web server
        "2001:db8::/32",  # documentation (RFC 3849)
        "3fff::/20",  # documentation (RFC 9637)
    )
)
"""What IANA's registries of special-purpose addresses and of multicast do not call globally
reachable, and no home. Of IPv6 only what lies inside `_GLOBAL_6`: the rest is never public."""
_METADATA = frozenset(
    ipaddress.ip_address(one)
    for one in (
        *("169.254.169.254", "169.254.170.2", "fd00:ec2::254"),  # the first of all, the rest AWS
        "168.63.129.16",  # Azure's wire server, an address like any other on the open network
        "fd20:ce::254",  # Google's
        "100.100.100.200",  # Alibaba's
    )
)
"""Where machines of a cloud are told their passwords (the documentation of AWS, Azure, Google
and Alibaba); three of them lie in blocks that are otherwise somebody's home."""


class Standing(StrEnum):
    PUBLIC = "public"
    PRIVATE = "private"
    """This machine or a network at home: only for a feed whose owner ticked that."""
    FORBIDDEN = "forbidden"
    """Never: link-local, multicast, reserved, unspecified, metadata."""


def standing(address: IpAddress) -> Standing:
    """Of the address and of every IPv4 address inside it, the worst."""
    return max(map(_of_one, _inside(address)), key=_BADNESS.index)


_BADNESS = (Standing.PUBLIC, Standing.PRIVATE, Standing.FORBIDDEN)


def _inside(address: IpAddress) -> tuple[IpAddress, ...]:
    """What a connection to this address may reach: where an IPv4 one is inside, that."""
    if not isinstance(address, ipaddress.IPv6Address):
        return (address,)
    if address.ipv4_mapped is not None:
        return (address.ipv4_mapped,)
    if address in _NAT64:
        return (ipaddress.IPv4Address(int(address) & 0xFFFFFFFF),)
    if address.sixtofour is not None:
        return (address.sixtofour, address)
    return (address,)


def _of_one(address: IpAddress) -> Standing:
    if address in _METADATA:
        return Standing.FORBIDDEN
    if _is_in(_HOME, address):
        return Standing.PRIVATE
    if _is_in(_NOT_GLOBAL, address):
        return Standing.FORBIDDEN
    if isinstance(address, ipaddress.IPv6Address) and address not in _GLOBAL_6:
        return Standing.FORBIDDEN
    return Standing.PUBLIC


def _is_in(blocks: Iterable[Block], address: IpAddress) -> bool:
    return any(address.version == block.version and address in block for block in blocks)


def may_connect(standings: list[Standing], *, private: bool) -> bool:
    """Whether all addresses behind a name may be connected to; one bad one spoils the name."""
    allowed = {Standing.PUBLIC, Standing.PRIVATE} if private else {Standing.PUBLIC}
    return bool(standings) and set(standings) <= allowed
