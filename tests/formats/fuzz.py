"""Robot files with something wrong in them: made from a valid one by a few changes, which a number decides."""

import random
import re

NUMBERS = (
    *("0", "-0", "1", "-1", "2", "1e308", "-1.7e308", "1e-320", "1e999", "nan", "inf", "-inf", "1.5708", "0x10", "1_0"),
    *("9" * 30, "1" * 400, "1" * 5000, "0." + "3" * 400, "1e", "--1", "1.2.3", "", " ", "1,1", "pi", "-pi/2", "1/0"),
    *("65536", "2147483648", "9223372036854775808", "1e5", "0.5", "é", "٣", "true"),
)
TEXTS = (
    *(
        "a",
        "b",
        "base",
        "world",
        "x\u202ey",
        "\u001b[31m",
        "&#27;",
        "&amp;",
        "&#0;",
        "&e;",
        "'",
        '"',
        "<",
        ">",
        "]]>",
        "--",
    ),
    *(
        "$(find x)",
        "${1/0}",
        "${'a'*99}",
        "../x",
        "/etc/passwd",
        "\\u0000",
        "\\x1b",
        "a" * 300,
        "sin",
        "x**9",
        "x/(x-x)",
    ),
    *("sqrt(-1)", "asin(2)", "1/x", "(" * 70, "x" * 201, "th1", "th1+th2", "2*th1", "q1", "\0", "\ud800", "𝔸", "\x85"),
)
WORD = re.compile(r"[\w.+-]+")
NUMBER = re.compile(r"(?<![\w.])[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])")
QUOTED = re.compile(r"\"[^\"\n]*\"")
ELEMENT = re.compile(r"<(\w+)[^<>]*/>|<(\w+)[^<>/]*>(?:[^<>]*)</\2>")
TAG = re.compile(r"</?[\w:]+[^<>]*>")
LINE = re.compile(r"[^\n]*\n")
SIGNS = "<>/=\"'{}[](),.*+-#!?&;:\\ \n\t%$^_e0"


def changed(text: str, seed: int) -> bytes:
    """Return a file that differs from a valid one in one to four places."""
    dice = random.Random(seed)
    for _ in range(dice.choice((1, 1, 1, 2, 3, 4))):
        text = dice.choice(CHANGES)(text, dice)
    data = text.encode("utf-8", "surrogatepass")
    return _bytes(data, dice) if dice.random() < 0.1 else data


def _replaced(pattern: re.Pattern[str], texts):
    def change(text: str, dice: random.Random) -> str:
        found = [match.span() for match in pattern.finditer(text)]
        if not found:
            return text
        start, end = dice.choice(found)
        return text[:start] + texts(text[start:end], dice, text) + text[end:]

    return change


def _sign(text: str, dice: random.Random) -> str:
    place = dice.randrange(len(text) + 1)
    return text[:place] + dice.choice(SIGNS) * dice.choice((1, 1, 2, 40)) + text[place + dice.randrange(2) :]


def _cut(text: str, dice: random.Random) -> str:
    start = dice.randrange(len(text) + 1)
    return text[:start] + text[start + dice.choice((1, 5, 50, len(text))) :]


def _moved(text: str, dice: random.Random) -> str:
    start, to = dice.randrange(len(text) + 1), dice.randrange(len(text) + 1)
    return text[:to] + text[start : start + dice.choice((3, 30, 300))] + text[to:]


def _bytes(data: bytes, dice: random.Random) -> bytes:
    place = dice.randrange(len(data) + 1)
    return data[:place] + dice.randbytes(dice.choice((1, 1, 4))) + data[place + 1 :]


CHANGES = (
    *[_replaced(NUMBER, lambda old, dice, text: dice.choice(NUMBERS))] * 4,
    *[_replaced(QUOTED, lambda old, dice, text: f'"{dice.choice((*NUMBERS, *TEXTS))}"')] * 2,
    _replaced(QUOTED, lambda old, dice, text: dice.choice(QUOTED.findall(text))),
    _replaced(WORD, lambda old, dice, text: dice.choice(WORD.findall(text))),
    _replaced(WORD, lambda old, dice, text: dice.choice((*NUMBERS, *TEXTS))),
    *[_replaced(ELEMENT, lambda old, dice, text: old * dice.choice((0, 0, 2, 3)))] * 2,
    _replaced(ELEMENT, lambda old, dice, text: old + dice.choice([m[0] for m in ELEMENT.finditer(text)])),
    _replaced(TAG, lambda old, dice, text: old * dice.choice((0, 2, 5))),
    *[_replaced(LINE, lambda old, dice, text: old * dice.choice((0, 0, 2, 3)))] * 2,
    _replaced(LINE, lambda old, dice, text: old + dice.choice(LINE.findall(text))),
    _sign,
    _cut,
    _moved,
)
