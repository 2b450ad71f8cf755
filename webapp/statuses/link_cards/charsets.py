"""Decode bytes by the name of their charset as browsers do, by the WHATWG Encoding Standard."""

import codecs

from webencodings import UTF8, lookup

# Python's codecs that read more of what browsers read than those that webencodings takes.
WIDER = {"gbk": "gb18030", "iso-2022-jp": "iso2022_jp_ext"}
# A page whose declaration is readable in ASCII cannot mean these.
DECLARED = {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}
# Characters that browsers decode and Python's codecs do not, by the end of the bytes: the euro sign
# of GBK, and the rows that NEC and IBM added to EUC-JP, of which Shift_JIS has the same.
ADDED = {
    ("gb18030", b"\x80"): "€",
    **{
        ("euc_jp", bytes((row + 0xA1, cell + 0xA1))): bytes(
            (
                row // 2 + (0x81 if row < 62 else 0xC1),
                cell + (0x9F if row % 2 else 0x40 if cell < 63 else 0x41),
            )
        ).decode("cp932", "replace")
        for row in (12, 88, 89, 90, 91)
        for cell in range(94)
    },
}
ERRORS_MAX = 2_000  # undecodable bytes; a page with more is not in its charset, and slow to mend
ERRORS = "webapp.added_characters"


def decode(content: bytes, header: str, declared: str) -> str:
    """Return the text of a page. Undecodable bytes become U+FFFD.

    Its charset is the first known one of: the `header`, the one `declared` in the page, UTF-8.
    """
    encoding = lookup(header)
    if encoding is None and (encoding := lookup(declared)):
        encoding = lookup(DECLARED.get(encoding.name, encoding.name))
    encoding = encoding or UTF8
    codec = codecs.lookup(WIDER[encoding.name]) if encoding.name in WIDER else encoding.codec_info
    text = codec.decode(content, "replace")[0]
    if 0 < text.count("\ufffd") <= ERRORS_MAX:
        return codec.decode(content, ERRORS)[0]
    return text


def _added_character(error: UnicodeError) -> tuple[str, int]:
    """Return the character at undecodable bytes, and where decoding goes on."""
    assert isinstance(error, UnicodeDecodeError)
    for end in (error.start + 1, error.start + 2):
        if found := ADDED.get((error.encoding, error.object[error.start : end])):
            return found, end
    return "\ufffd", error.end


codecs.register_error(ERRORS, _added_character)
