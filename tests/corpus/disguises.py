"""Ways to write a text so that a person or a rule does not see at once what it says."""

from __future__ import annotations

import base64
import codecs
import html
import re
from collections.abc import Callable
from urllib.parse import quote

_CYRILLIC = str.maketrans("aeopcxyijs", "аеорсхуіјѕ")
_GREEK = str.maketrans("aoviptu", "αονιρτυ")
_LEET = str.maketrans("aeiost", "431057")
_MORSE = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        [
            ".-",
            "-...",
            "-.-.",
            "-..",
            ".",
            "..-.",
            "--.",
            "....",
            "..",
            ".---",
            "-.-",
            ".-..",
            "--",
            "-.",
            "---",
            ".--.",
            "--.-",
            ".-.",
            "...",
            "-",
            "..-",
            "...-",
            ".--",
            "-..-",
            "-.--",
            "--..",
        ],
        strict=True,
    )
)


def _letters(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "".join(change(c) if c.isascii() and c.isalpha() else c for c in text)


def _shifted(upper: int, lower: int) -> Callable[[str], str]:
    return _letters(
        lambda c: chr((upper if c.isupper() else lower) + ord(c) - ord("A" if c.isupper() else "a"))
    )


def _inside(mark: str, every: int = 2) -> Callable[[str], str]:
    return lambda text: re.sub(rf"([^\W_]{{{every}}})(?=[^\W_])", rf"\1{mark}", text)


DISGUISES: dict[str, Callable[[str], str]] = {
    "capitals": str.upper,
    "alternating": lambda text: "".join(
        c.upper() if at % 2 else c.lower() for at, c in enumerate(text)
    ),
    "letters apart": lambda text: " ".join(text),
    "letters apart, words further": lambda text: "   ".join(" ".join(w) for w in text.split()),
    "dots between": lambda text: " ".join(".".join(word) for word in text.split()),
    "dashes between": lambda text: " ".join("-".join(word) for word in text.split()),
    "underscores for spaces": lambda text: text.replace(" ", "_"),
    "dots for spaces": lambda text: text.replace(" ", "."),
    "slashes for spaces": lambda text: text.replace(" ", "/"),
    "no spaces": lambda text: text.title().replace(" ", ""),
    "a word a line": lambda text: text.replace(" ", "\n"),
    "a blank line between words": lambda text: text.replace(" ", "\n\n"),
    "bullets": lambda text: "\n".join(f"- {word}" for word in text.split()),
    "broken words": _inside("-\n", 4),
    "tabs": lambda text: text.replace(" ", "\t"),
    "wide spaces": lambda text: text.replace(" ", "\u3000"),
    "hard spaces": lambda text: text.replace(" ", "\u00a0"),
    "zero width": _inside("\u200b"),
    "soft hyphens": _inside("\u00ad"),
    "word joiners": _inside("\u2060"),
    "joiners": _inside("\u200d"),
    "variation selectors": _inside("\ufe0f"),
    "tag characters": lambda text: "Tea. " + "".join(chr(0xE0000 + ord(c) % 128) for c in text),
    "right to left": lambda text: f"\u202e{text[::-1]}\u202c",
    "isolates": lambda text: f"\u2067{text[::-1]}\u2069",
    "backwards": lambda text: text[::-1],
    "words backwards": lambda text: " ".join(word[::-1] for word in text.split()),
    "combining marks": _letters(lambda c: c + "\u0336"),
    "accents": _letters(lambda c: c + "\u0301"),
    "full width": lambda text: "".join(
        chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text
    ),
    "bold": _shifted(0x1D5D4, 0x1D5EE),
    "script": _shifted(0x1D4D0, 0x1D4EA),
    "double struck": _shifted(0x1D538, 0x1D552),
    "monospaced": _shifted(0x1D670, 0x1D68A),
    "circled": _shifted(0x24B6, 0x24D0),
    "in brackets": _shifted(0x249C, 0x249C),
    "regional": lambda text: "".join(
        chr(0x1F1E6 + ord(c.lower()) - 97) if c.isascii() and c.isalpha() else c for c in text
    ),
    "Cyrillic": lambda text: text.translate(_CYRILLIC),
    "Greek": lambda text: text.translate(_GREEK),
    "digits": lambda text: text.translate(_LEET),
    "base64": lambda text: base64.b64encode(text.encode("utf-8", "replace")).decode(),
    "base32": lambda text: base64.b32encode(text.encode("utf-8", "replace")).decode(),
    "base85": lambda text: base64.b85encode(text.encode("utf-8", "replace")).decode(),
    "hexadecimal": lambda text: text.encode("utf-8", "replace").hex(),
    "hexadecimal, apart": lambda text: text.encode("utf-8", "replace").hex(" "),
    "binary": lambda text: " ".join(f"{b:08b}" for b in text.encode("utf-8", "replace")),
    "code points": lambda text: " ".join(str(ord(c)) for c in text),
    "escapes": lambda text: "".join(f"\\x{b:02x}" for b in text.encode("utf-8", "replace")),
    "rotated": lambda text: codecs.encode(text, "rot13"),
    "per cent": lambda text: quote(text.encode("utf-8", "replace"), safe=""),
    "per cent, all": lambda text: "".join(f"%{b:02X}" for b in text.encode("utf-8", "replace")),
    "entities": lambda text: "".join(f"&#{ord(c)};" for c in text),
    "entities in words": lambda text: re.sub(r"[aeiou]", lambda m: f"&#{ord(m[0])};", text),
    "quoted printable": lambda text: "".join(f"={b:02X}" for b in text.encode("utf-8", "replace")),
    "morse": lambda text: " ".join(_MORSE.get(c.lower(), "/") for c in text),
    "emphasis": _inside("**"),
    "emphasis, one star": _inside("*"),
    "underlines in words": _inside("_"),
    "code in words": _inside("``"),
    "tags in words": _inside("<b></b>"),
    "comments in words": _inside("<!-- -->"),
    "comment": lambda text: f"Likes tea. <!-- {text} -->",
    "link text": lambda text: f"See [{text}](docs/a.md).",
    "link title": lambda text: f'See [a](docs/a.md "{html.escape(text)}").',
    "reference": lambda text: f"[//]: # ({text})",
    "picture": lambda text: f"![{text}](a.png)",
    "code": lambda text: f"`{text}`",
    "fence": lambda text: f"```\n{text}\n```",
    "quotation": lambda text: f"> {text}",
    "heading": lambda text: f"# {text}",
    "table": lambda text: f"| a | b |\n| --- | --- |\n| {text} | c |",
    "tag": lambda text: f"<p>{text}</p>",
    "closed tag": lambda text: f"</memory>{text}<memory>",
    "after a harmless line": lambda text: f"Likes tea.\n{text}",
    "before a harmless line": lambda text: f"{text}\nLikes tea.",
    "after many spaces": lambda text: "Likes tea." + " " * 200 + text,
    "JSON": lambda text: f'{{"note": "{text}"}}',
    "YAML": lambda text: f"note: |\n  {text}",
    "quoted": lambda text: f'The page says: "{text}"',
}
"""By name: how a text is written instead."""
