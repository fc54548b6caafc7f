"""Compares our legal moves, read as JSON lines from a file, with another program's.

Moves are compared as sets of (from, to, set of captured squares), never as text: many programs
print one text for two different captures.
"""

import argparse
import collections
import json


def compare(package, variants, their_moves, named_exceptions):
    """Compares all positions of the file named on the command line and exits.

    Positions of other `variants` are passed over. `their_moves(variant, fen)` gives the other
    program's moves. `named_exceptions` maps the name of a known fault to a function of (variant, fen,
    ours, theirs) that tells whether the fault, and nothing else, explains the difference.
    Exit code 1 if a difference has no name, or if a variant was not among the positions.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("positions", help="output of the example random_positions")
    parser.add_argument("--limit", type=int, help="positions of each variant to compare")
    arguments = parser.parse_args()

    seen = collections.Counter()
    agreed = collections.Counter()
    excepted = collections.Counter()
    unexplained = 0
    with open(arguments.positions, encoding="ascii") as lines:
        for line in lines:
            position = json.loads(line)
            variant, fen = position["variant"], position["fen"]
            if variant not in variants or seen[variant] == arguments.limit:
                continue
            seen[variant] += 1
            theirs = their_moves(variant, fen)
            ours = {(start, end, frozenset(taken)) for start, end, taken in position["moves"]}
            if ours == theirs:
                agreed[variant] += 1
                continue
            for name, explains in named_exceptions.items():
                if explains(variant, fen, ours, theirs):
                    excepted[variant, name] += 1
                    break
            else:
                unexplained += 1
                if unexplained <= 10:
                    print(f"{package} differs: {variant} {fen}")
                    print(f"  only ours:   {readable(ours - theirs)}")
                    print(f"  only theirs: {readable(theirs - ours)}")

    for variant, count in seen.items():
        print(f"{package}: {variant}: {count} positions compared, {agreed[variant]} equal")
    for (variant, name), count in sorted(excepted.items()):
        print(f"{package}: {variant}: {count} positions differ by the known fault '{name}'")
    missing = set(variants) - set(seen)
    if missing:
        print(f"{package}: no position of {', '.join(sorted(missing))}")
    if unexplained:
        print(f"{package}: {unexplained} positions differ without a known reason")
    raise SystemExit(1 if missing or unexplained else 0)


def readable(moves):
    return [(start, end, sorted(taken)) for start, end, taken in sorted(moves, key=str)]
