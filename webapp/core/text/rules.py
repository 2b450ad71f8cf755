"""The characters and patterns that twitter-text v3 gives a meaning, in our own words.

Quantifiers are possessive wherever a pattern could otherwise be tried again from each of its
characters.
"""

import re
from typing import Any, Final

import regex
from emoji import EMOJI_DATA

# Sets of characters, for use inside the brackets of a pattern.
SPACES: Final = "\t-\r \x85\xa0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
PUNCTUATION: Final = r"!'#%&()*+,\\\-./:;<=>?@\[\]^_{|}~$"
LATIN: Final = (  # the accented letters
    "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0253\u0254\u0256\u0257\u0259\u025b\u0263"
    "\u0268\u026f\u0272\u0289\u028b\u02bb\u0300-\u036f\u1e00-\u1eff"
)
_LETTER: Final = r"\p{L}\p{M}"
_IN_HASHTAG: Final = (  # besides letters: digits, joiners, marks that scripts write inside a word
    r"\p{Nd}_\u200c\u200d\ua67e\u05be\u05f3\u05f4\uff5e\u301c\u309b\u309c\u30a0\u30fb\u3003"
    r"\u0f0b\u0f0c\xb7"
)

FORBIDDEN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
# Overrides, embeddings and isolates would spill from a name into the line around it. Plain
# direction marks do not.
NOT_IN_NAME: Final = re.compile(rf"(?!\s)(?:{FORBIDDEN.pattern}|[\u202a-\u202e\u2066-\u2069])")
# Characters that draw nothing by themselves. Marks need a letter. The last four are signs that are
# blank by their shape: a Braille pattern, a note head, two hieroglyphs.
_BLANK: Final = (
    r"[[\s\p{Z}\p{M}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}"
    r"\p{Noncharacter_Code_Point}\u2800\U0001d159\U00013441\U00013442]"
    r"--\p{Prepended_Concatenation_Mark}]"
)
VISIBLE: Final[Any] = regex.compile(rf"(?V1)[\p{{Any}}--{_BLANK}]")
BLANK_LINES: Final[Any] = regex.compile(rf"(?V1)\n(?:[{_BLANK}--\n]*+\n){{2,}}")
# Marks beyond the eighth of a letter, which only spill over other lines. The largest stacks that a
# script needs, in Tibetan, have eight.
EXCESS_MARKS: Final[Any] = regex.compile(r"(?<!\p{Cf})(?:\p{Cf}*+\p{M}){8}\K(?:\p{Cf}*+\p{M})++")

# Marks and invisible characters, which do not tell "@admin" from a name that only looks like it.
NOT_SEEN: Final[Any] = regex.compile(rf"(?V1)[{_BLANK}--\s]")
# A name that begins with an @ and a word in any script, or has such a word within it, as mentions
# are written. "Ann @ the marsh" and "ann@example.org" are names.
LIKE_A_HANDLE: Final[Any] = regex.compile(
    r"(?:^[^\p{L}\p{N}@]*+@\s*+|(?<![\p{L}\p{N}_])@)_*+[\p{L}\p{N}]"
)

# Characters of weight 100; all others have 200.
LIGHT: Final = re.compile("[\0-\u10ff\u2000-\u200d\u2010-\u201f\u2032-\u2037]+")
SEQUENCES: Final = frozenset(emoji for emoji in EMOJI_DATA if len(emoji) > 1)
SEQUENCE_SIZES: Final = sorted({len(emoji) for emoji in SEQUENCES}, reverse=True)
# The second in a sequence is a joiner, keycap, variation selector, flag letter, skin tone or tag.
SEQUENCE_LEAD: Final = re.compile(
    "(?s:.)(?=[\u200d\u20e3\ufe0f\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f])"
)

# A mention may follow a letter only at the end of the word RT. The slug of a list is skipped.
MENTION: Final = re.compile(
    r"(?:(?<![A-Za-z0-9_!#$%&*@\uff20])|(?<=[Rr][Tt])(?<![A-Za-z0-9_+~.\-][Rr][Tt]))[@\uff20]"
    rf"([A-Za-z0-9_]{{1,20}}+)(?:/[A-Za-z][A-Za-z0-9_-]{{0,24}}+)?+(?![@\uff20{LATIN}]|://)"
)
# At least one letter; a keycap such as 1️⃣ does not count. A variation selector before the sign
# ends an emoji; one after it makes the sign itself an emoji.
_KEYCAP: Final = r"[0-9]\ufe0f?+\u20e3"
HASHTAG: Final[Any] = regex.compile(
    rf"(?:(?<![&{_IN_HASHTAG}{_LETTER}])|(?<=[\ufe0e\ufe0f\u20e3]))[#\uff03](?![\ufe0f\u20e3])"
    rf"(?=(?:(?!{_KEYCAP})[{_IN_HASHTAG}])*+[{_LETTER}])"
    rf"((?:(?!{_KEYCAP})[{_IN_HASHTAG}{_LETTER}])++)"
    r"(?![#\uff03]|://)"
)
NOT_IN_HASHTAG: Final[Any] = regex.compile(rf"[^{_IN_HASHTAG}{_LETTER}]")  # as folding leaves it
CASHTAG: Final = re.compile(
    rf"(?<![^{SPACES}])\$([A-Za-z]{{1,6}}(?:[._][A-Za-z]{{1,2}})?)(?=\Z|\s|[{PUNCTUATION}])"
)
