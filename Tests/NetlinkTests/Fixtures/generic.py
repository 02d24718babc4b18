#!/usr/bin/env python3
"""Writes generic.hex beside it: what ethtool and nl80211 answer about a port and a radio, one datagram a line.

The machine of the recordings has neither. The messages are put together as the kernel does (net/ethtool/linkmodes.c,
net/wireless/nl80211.c): the same attributes in the same order, with those that the exporter does not read. The first
answer about a port is recorded: of a virtio device of Linux 6.18, which knows no modes.
"""
import pathlib
import struct

NESTED = 0x8000
ETHTOOL, NL80211 = 21, 34
SEQUENCE, PORT = 7, 832
VIRTIO = """
80000000 1500 0000 07000000 40030000 04010000 18000180 0800010004000000 0900020065746830 00000000 0500020000000000
34000380 0800020079000000 1400040000000000000000000000000000000000 1400050000000000000000000000000000000000
08000500ffffffff 05000600ff000000 05000a0000000000
"""
# `enum ethtool_link_mode_bit_indices`
TEN, HUNDRED, GIGABIT, AUTONEG, TWISTED_PAIR, MII, PAUSE = (0, 1), (2, 3), (5,), 6, 7, 9, 13


def attribute(number, payload):
    data = struct.pack("=HH", 4 + len(payload), number) + payload
    return data + bytes(-len(data) % 4)


def nest(number, *attributes):
    return attribute(number | NESTED, b"".join(attributes))


def u8(number, value):
    return attribute(number, struct.pack("=B", value & 0xFF))


def u16(number, value):
    return attribute(number, struct.pack("=H", value))


def u32(number, value):
    return attribute(number, struct.pack("=I", value & 0xFFFFFFFF))


def text(number, value):
    return attribute(number, value.encode() + b"\0")


def message(family, command, version, *attributes, flags=0):
    payload = struct.pack("=BBH", command, version, 0) + b"".join(attributes)
    return struct.pack("=IHHII", 16 + len(payload), family, flags, SEQUENCE, PORT) + payload


def words(bits):
    number = sum(1 << bit for bit in bits)
    return b"".join(struct.pack("=I", number >> 32 * word & 0xFFFFFFFF) for word in range(4))


def bit_set(number, bits, mask=None):
    """ethnl_put_bitset32 with ETHTOOL_FLAG_COMPACT_BITSETS."""
    start = [attribute(1, b"")] if mask is None else []
    end = [] if mask is None else [attribute(5, words(mask))]
    return nest(number, *start, u32(2, 121), attribute(4, words(bits)), *end)


def family(name, number, version, most):
    # CTRL_CMD_NEWFAMILY, without its lists of operations and groups.
    return message(16, 1, 2, text(2, name), u16(1, number), u32(3, version), u32(4, 0), u32(5, most))


def link_modes(name, index, ours, peers, speed):
    supported = [*TEN, *HUNDRED, *GIGABIT, AUTONEG, TWISTED_PAIR, MII, PAUSE]
    return message(
        ETHTOOL, 4, 1, nest(1, u32(1, index), text(2, name)), u8(2, 1), bit_set(3, ours, supported),
        *([bit_set(4, peers)] if peers else []), u32(5, speed), u8(6, 1), u8(7, 1), u8(8, 2), u32(9, 1), u8(10, 0))


def rate(number, hundreds, *more):
    return nest(number, *([u16(1, hundreds)] if hundreds < 65536 else []), u32(5, hundreds), *more)


def station(index, *information):
    # A dump: NLM_F_MULTI; the address of the access point is one for documentation (RFC 7042).
    return message(
        NL80211, 19, 1, u32(3, index), attribute(6, bytes.fromhex("00005e005301")), u32(46, 9), nest(21, *information),
        flags=2)


def interface(index, kind):
    return message(
        NL80211, 7, 1, u32(3, index), text(4, "wlan0"), u32(1, 0), u32(5, kind), attribute(153, struct.pack("=Q", 1)),
        attribute(6, bytes.fromhex("00005e005302")), u32(46, 5), text(52, "example"))


ours = [*TEN, *HUNDRED, *GIGABIT, AUTONEG, TWISTED_PAIR, MII, PAUSE]
LINES = [
    family("ethtool", ETHTOOL, 1, 44),
    bytes.fromhex(VIRTIO.replace("\n", "")),
    # Both ends offer a gigabit, and two pairs of the cable are broken.
    link_modes("eth0", 4, ours, ours, 100),
    # The other end offers less.
    link_modes("eth0", 4, ours, [*TEN, *HUNDRED, AUTONEG, PAUSE], 100),
    family("nl80211", NL80211, 1, 330),
    interface(5, 2),
    station(
        5, u32(16, 4711), u32(1, 12), u32(2, 1 << 20), u32(3, 1 << 18), attribute(23, struct.pack("=Q", 1 << 20)),
        u8(7, -58), u8(13, -61), rate(8, 8667, u8(6, 9), u8(7, 2)), rate(14, 72057), u32(9, 6000), u32(10, 5000),
        u32(11, 1250), u32(12, 3)),
]

if __name__ == "__main__":
    (pathlib.Path(__file__).parent / "generic.hex").write_text("".join(line.hex() + "\n" for line in LINES))
