"""Texts, bytes and identifiers that no form and no address should take as they are."""

# Texts that any member may write, and that are markup where a page does not escape them.
MARKUP = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' autofocus onfocus=alert(1) x='",
    "</textarea><svg/onload=alert(1)>",
    "</title><body onload=alert(1)>",
    "<!--><iframe srcdoc=x></iframe>-->",
    "&lt;b&gt;&#60;script&#62;",
    "javascript:alert(1)",
    "https://a.example/'onclick='x",
    "https://a.example/?<script>",
    "@ann<script>#tag</script>",
    "data:text/html,<script>",
    "{{ 7*7 }}{% debug %}%(num)s {0}",
    "</p></article></main><h1>x",
]
# What no field should have, or little of: it is refused, cleaned, or kept as plain text.
RAW_VALUES: dict[str, bytes] = {
    "overrides": "\u202eevil\u202c \u2066x\u2067 \u200f\u061c".encode(),
    "only what does not show": "\u200b\u2060\ufeff\U000e0041\u3164".encode(),
    "nul": b"a\0b",
    "controls": bytes(range(1, 32)) + b"\x7f\xc2\x80\xc2\x9f",
    "lone surrogates": b"a\xed\xa0\x80b\xed\xb0\x80",
    "no utf-8": b"\xff\xfe\xc0\xaf\xf0\x9f",
    "utf-16": "a<b>".encode("utf-16"),
    "marks on marks": ("Z" + "\u0301\u0489" * 900).encode(),
    "noncharacters": "\uffff\ufffe\U0010ffff".encode(),
    "long": b"x" * 30_000,
    "new headers": b"/public\r\nX-Evil: 1\r\nSet-Cookie: linnet=forged",
    "elsewhere": b"//evil.example/\\evil.example",
    "upwards": b"../../../../etc/passwd%00.png",
    "a key": b"user:{53t}:1",
    "negative": b"-1",
    "digits of another script": "\u0661\u0662\uff11".encode(),
    "many digits": b"9" * 400,
    "float": b"1e400",
    "nothing": b"",
    "template": b"${7*7}#{7*7}<%= 7*7 %>",
    **{text: text.encode() for text in MARKUP[:6]},
}
# Valid values of fields: enough to reach the store, but with passwords that are wrong.
VALID_FIELDS = {
    "login": "ann",  # who is a member already
    "name": "Wren",
    "password": "not the right one",
    "old": "not the right one",
    "new": "another battery staple",
    "text": "hello",
    "key": "12345678",
    "next": "/public",
    "language": "en",
    "theme": "dark",
    "website": "https://example.org",
    "option1": "reeds",
    "option2": "marsh",
}
# Values of the variable parts of addresses.
PATH_VALUES = [
    "0",
    "-1",
    "5",
    "1.0",
    "1e3",
    "9" * 30,
    "\u0661",
    "%00",
    "..%2f..%2fetc%2fpasswd",
    "a%0d%0aX-Evil:%201",
    "%ff",
    "*",
]
PATH_VALUES += [
    "{}",
    "%7B53t%7D:1",
    "%E2%80%AEnna",
    "<script>",
    "x" * 3_000,
    "None",
    "ann%20",
    "%20",
    "%2e%2e",
    "f" * 64,
    "'--",
]
