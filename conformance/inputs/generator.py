#!/usr/bin/env python3
"""Twin of the C++ generator and distributions, written apart from them.

Prints one line a distribution, seed, side and shape: the 64-bit FNV-1a hash over the elements of a
matrix, each as its mantissa (8 bytes, little-endian, two's complement) and exponent (4 bytes).
checksums.txt holds this output; the C++ test compares it with its own sums:

    generator.py > checksums.txt      write it
    generator.py --check FILE         compare, exit 1 where a line differs
"""
import sys

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def finalise(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def fnv(data, value=0xCBF29CE484222325):
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & MASK
    return value


class Stream:
    def __init__(self, seed, name):
        self.key = finalise(seed ^ fnv(name.encode()))

    def word(self, n):
        return finalise((self.key + ((n & MASK) + 1) * GOLDEN) & MASK)

    def below(self, n, count):
        return self.word(n) * count >> 64


def gaussian(stream, row, column, width, side):
    element = row * width + column
    total = 0
    for n in range(3):
        word = stream.word(3 * element + n)
        total += sum((word >> shift) & 0xFFFF for shift in (0, 16, 32, 48))
    return 2 * total - 12 * 65535, -17


def heavy_tailed(stream, row, column, width, side):
    m, exponent = gaussian(stream, row, column, width, side)
    word = stream.word(~(row * width + column))
    power = 0
    while power < 8 and not (word >> power) & 1:
        power += 1
    return m, exponent + power


def outlier_channels(stream, row, column, width, side):
    m, exponent = gaussian(stream, row, column, width, side)
    if side == "weight":
        return m, exponent
    run, offset = divmod(column, 32)
    chosen = stream.below(~run, min(32, width - 32 * run))
    return m, exponent + (6 if chosen == offset else 0)


def cancelling(stream, row, column, width, side):
    m, exponent = gaussian(stream, row, column & ~1, width, side)
    if column % 2 == 0 or side == "weight":
        return m, exponent
    quotient = abs(m) // 8 * (1 if m > 0 else -1)
    return quotient - m, exponent


def sorted_rows(stream, row, column, width, side):
    jitter = stream.word(row * width + column) >> 48
    value = (column * 65536 + jitter) * 4 // width - 131072
    return (value if row % 2 == 0 else -value), -16


def exact_integers(stream, row, column, width, side):
    drawn = stream.word(row * width + column) >> 60
    if drawn < 6:
        return 0, 0
    if drawn < 10:
        return 1, 0
    if drawn < 14:
        return -1, 0
    return (2 if drawn == 14 else -2), 0


DISTRIBUTIONS = {
    "gaussian": gaussian,
    "heavy_tailed": heavy_tailed,
    "outlier_channels": outlier_channels,
    "cancelling": cancelling,
    "sorted": sorted_rows,
    "exact_integers": exact_integers,
}


def checksum(name, seed, side, rows, width):
    stream = Stream(seed, "x")
    value = fnv(b"")
    for row in range(rows):
        for column in range(width):
            m, exponent = DISTRIBUTIONS[name](stream, row, column, width, side)
            value = fnv(m.to_bytes(8, "little", signed=True), value)
            value = fnv(exponent.to_bytes(4, "little", signed=True), value)
    return value


def lines():
    for name in DISTRIBUTIONS:
        for seed in (0, 1, 2**64 - 1):
            for side in ("activation", "weight"):
                for rows, width in ((1, 1), (3, 5), (7, 33), (4, 128), (2, 200)):
                    value = checksum(name, seed, side, rows, width)
                    yield f"{name} {seed} {side} {rows} {width} {value:016x}"


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        with open(sys.argv[2], encoding="ascii") as file:
            written = file.read().splitlines()
        if written == list(lines()):
            return 0
        print(f"{sys.argv[2]}: is not what this generator makes", file=sys.stderr)
        return 1
    print("\n".join(lines()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
