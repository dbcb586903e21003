"""What may stand in a cell in the place of a text or a number, by accident or as a code."""

import re
import unicodedata

from harness_ext.data.tables import NUMBER

_MISSING = {
    "",
    # of programs
    "nan",
    "none",
    "null",
    "<null>",
    "(null)",
    "nil",
    "nat",
    "<na>",
    "undefined",
    r"\n",  # of databases: \N
    "[]",
    "{}",
    "()",
    ".",
    "..",
    "-99",
    "-999",
    "-9999",
    # of people
    "na",
    "n/a",
    "n.a.",
    "n.a",
    "n. a.",
    "k.a.",
    "k. a.",
    "-",
    "--",
    "---",
    "–",
    "—",
    "?",
    "??",
    "???",
    "blank",
    "(blank)",
    "(empty)",
    "(leer)",
    "missing",
    "(missing)",
    "<missing>",
}
"""What programs and people write for no value, in lower case."""

_LONGEST = max(map(len, _MISSING))

_INVISIBLE = {"Cc", "Cf", "Zs", "Zl", "Zp"}
"""Categories of letters that nobody sees: control letters, formats, blanks."""

_NO_TEXTS = {
    # in several languages
    re.compile(
        r"#[¡¿]?[A-ZÀ-Ý]+(/0)?[!?]|#N/?[ADV]|#GETTING_DATA|Err:\d{3}"
    ): "{} is an error of a spreadsheet. Mend its formula.",
    re.compile(
        r"(array\()?\[\s*(['\"]).*\2.*\]\)?", re.DOTALL
    ): "{} is a list that a program printed. Give its texts with ; between them.",
    re.compile(
        ".*\ufffd.*", re.DOTALL
    ): "{} has a letter that an earlier program lost, U+FFFD. Export the file again, as UTF-8.",
    re.compile(
        r".*_x[0-9A-Fa-f]{4}_.*", re.DOTALL
    ): "{} has a letter that an earlier program wrote by its number. Write the letter itself.",
}
"""What stands in a cell in the place of a text, and what to do."""

_STARTS_OF_NO_TEXTS = ("#", "Err:", "[", "array(")
"""How the first patterns begin."""

_LOST = "\ufffd"
_BY_NUMBER = "_x"
"""What a text has that fits the last pattern, and the other one."""

_AFTER_UTF_8 = "\u0080-\u00bf\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152"
"""Second bytes of letters of UTF-8, as other encodings read them."""

_DAMAGE = re.compile(
    rf"(?P<encoding>[ÃÂÐÑ][{_AFTER_UTF_8}]|â€)"
    r"|(?P<html>&(?:#\d+|#x[0-9a-fA-F]+|[A-Za-z]{2,8});|</?[A-Za-z]{1,6}\s*/?>)"
    r"|(?P<typed>\\[nrt])"
    r"|(?P<control>[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f])"
    r"|(?P<invisible>[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064])"
)
"""What an earlier program may have left in a text."""

_KINDS_OF_DAMAGE = {
    "encoding": "letters that were read in another encoding, such as Ã© for é",
    "html": "a mark of HTML, such as &amp; or <br/>",
    "typed": r"a line end or tabulator that is typed, such as \n",
    "control": "a control letter, which nobody sees",
    "invisible": "a letter that nobody sees",
}

_SUMMARIES = re.compile(
    r"(mean|average|avg|sum|total|median|std|sd|st\.? ?dev\.?|count|min|max|mittelwert|durchschnitt"
    r"|summe|gesamt|keskiarvo|mediaani|summa|yhteensä|medel|medelvärde|gemiddelde|totaal|moyenne"
    r"|somme|media|promedio|suma|média|soma)\W*",
    re.IGNORECASE,
)
"""How a row begins that sums up those above it."""


def is_missing(text: str) -> bool:
    r"""Whether a text stands for no value, or has letters alone that nobody sees.

    Examples:
        >>> is_missing("n.a."), is_missing("\u200b"), is_missing("no")
        (True, True, False)
    """
    if len(text) <= _LONGEST and text.casefold() in _MISSING:
        return True
    if text[:1].isalnum():
        return False
    return all(unicodedata.category(letter) in _INVISIBLE for letter in text)


def is_number(text: str) -> bool:
    """Whether a text is a number as people write it."""
    return bool(NUMBER.fullmatch(text))


def check_text(text: str) -> None:
    """Refuse what is no text, such as an error of a spreadsheet.

    Raises:
        ValueError: It is none; says what to do, with `{}` for the text.
    """
    may_be_none = text.startswith(_STARTS_OF_NO_TEXTS) or _LOST in text or _BY_NUMBER in text
    if not may_be_none:  # most texts: a pattern costs more than all these
        return
    for pattern, remedy in _NO_TEXTS.items():
        if pattern.fullmatch(text):
            raise ValueError(remedy)


def damage(text: str) -> str:
    """What an earlier program may have left in a text, in words; empty if nothing.

    Examples:
        >>> damage("She went to the cafÃ©.")
        'letters that were read in another encoding, such as Ã© for é'
    """
    is_plain = text.isascii() and text.isprintable()
    if is_plain and "&" not in text and "<" not in text and "\\" not in text:
        return ""  # most texts: a search costs more than all these
    found = _DAMAGE.search(text)
    return _KINDS_OF_DAMAGE[str(found.lastgroup)] if found else ""


def is_summary(text: str) -> bool:
    """Whether a cell begins a row that sums up those above it."""
    return bool(_SUMMARIES.fullmatch(text.strip()))


def shown_by_number(text: str) -> str:
    r"""A text with what is not printable by its number.

    Examples:
        >>> print(shown_by_number("entailed\u200b"))
        entailed\u200b
    """
    letters = [letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text]
    return "".join(letters)


def visible(text: str) -> str:
    """A text without the letters that nobody sees, but for blanks."""
    letters = [letter for letter in text if unicodedata.category(letter) not in {"Cc", "Cf"}]
    return "".join(letters)
