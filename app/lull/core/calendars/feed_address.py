"""Decides which IP addresses a calendar may be fetched from.

The user types a feed's address, but every redirect and DNS answer behind it is chosen by somebody
else, who must not be able to point Lull at this machine, the router or a cloud machine's metadata
service. This module judges addresses only. The caller resolves names, and connects to exactly the
address that was judged.

The blocks are listed here because what `ipaddress.is_global` says of 6to4 or of 192.0.0.0/24
differs between patch releases of one Python.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from enum import StrEnum

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
NetworkBlock = ipaddress.IPv4Network | ipaddress.IPv6Network

_GLOBAL_6 = ipaddress.IPv6Network("2000::/3")
"""The only block of IPv6 with global unicast addresses (RFC 4291, 2.4, and IANA's registry of the
IPv6 address space).
"""
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""Block of IPv6 addresses that hold an IPv4 address in their last 32 bits (RFC 6052)."""
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
        "192.0.0.0/24",  # reserved for protocols (RFC 6890), with its two anycast addresses
        "192.0.2.0/24",  # documentation (RFC 5737), with the two below
        "192.88.99.0/24",  # former 6to4 relays (RFC 7526)
        "198.18.0.0/15",  # network benchmarks (RFC 2544)
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast (RFC 5771)
        "240.0.0.0/4",  # reserved, and broadcast at its end (RFC 1112, RFC 8190)
        "2001::/23",  # protocols (RFC 2928): Teredo, ORCHID, benchmarks, anycast; no web server
        "2001:db8::/32",  # documentation (RFC 3849)
        "3fff::/20",  # documentation (RFC 9637)
    )
)
"""Blocks that IANA's registries of special-purpose and multicast addresses do not call globally
reachable, except home networks. For IPv6 only those inside `_GLOBAL_6`: the rest is never public.
"""
_METADATA = frozenset(
    ipaddress.ip_address(one)
    for one in (
        # the first: most clouds; the others: AWS
        *("169.254.169.254", "169.254.170.2", "fd00:ec2::254"),
        "168.63.129.16",  # Azure's wire server, an ordinary address on the open network
        "fd20:ce::254",  # Google's
        "100.100.100.200",  # Alibaba's
    )
)
"""Addresses from which cloud machines get credentials (documentation of AWS, Azure, Google and
Alibaba); three of them are in blocks that are otherwise home networks.
"""


class AddressKind(StrEnum):
    """Where an IP address leads, by which it is decided whether a calendar may be fetched from
    it.
    """

    PUBLIC = "public"
    PRIVATE = "private"
    """An address of this machine or a home network; connected to only for a feed whose owner
    allowed it.
    """
    FORBIDDEN = "forbidden"
    """An address that is never connected to: link-local, multicast, reserved, unspecified, or cloud
    metadata.
    """


def classify_address(address: IpAddress) -> AddressKind:
    """Classify an IP address as public, private or forbidden to connect to. If IPv4 addresses are
    embedded in it, the strictest class of them all counts.
    """
    return max(map(_of_one, _inside(address)), key=_BADNESS.index)


_BADNESS = (AddressKind.PUBLIC, AddressKind.PRIVATE, AddressKind.FORBIDDEN)


def _inside(address: IpAddress) -> tuple[IpAddress, ...]:
    """Return the addresses that a connection to this one may reach: an embedded IPv4 address, if
    any.
    """
    if not isinstance(address, ipaddress.IPv6Address):
        return (address,)
    if address.scope_id is not None:
        address = ipaddress.IPv6Address(int(address))  # the zone says only through which network
    if address.ipv4_mapped is not None:
        return (address.ipv4_mapped,)
    if address in _NAT64:
        return (ipaddress.IPv4Address(int(address) & 0xFFFFFFFF),)
    if address.sixtofour is not None:
        return (address.sixtofour, address)
    return (address,)


def _of_one(address: IpAddress) -> AddressKind:
    if address in _METADATA:
        return AddressKind.FORBIDDEN
    if _is_in(_HOME, address):
        return AddressKind.PRIVATE
    if _is_in(_NOT_GLOBAL, address):
        return AddressKind.FORBIDDEN
    if isinstance(address, ipaddress.IPv6Address) and address not in _GLOBAL_6:
        return AddressKind.FORBIDDEN
    return AddressKind.PUBLIC


def _is_in(blocks: Iterable[NetworkBlock], address: IpAddress) -> bool:
    return any(address.version == block.version and address in block for block in blocks)


def may_connect(kinds: list[AddressKind], *, private: bool) -> bool:
    """Whether Lull may connect to a host, given the kinds of all its IP addresses: all must be
    public or, with `private`, public or in a private network. False without an address.
    """
    allowed = {AddressKind.PUBLIC, AddressKind.PRIVATE} if private else {AddressKind.PUBLIC}
    return bool(kinds) and set(kinds) <= allowed
