"""List requests that no browser sends; `@` marks the places for a marker."""

from tests.support.pagecache import HOST

HEADERS = {  # no reply may depend on these
    "User-Agent": "@",
    "Referer": "http://@.example/",
    "Origin": "http://@.example",
    "X-Request-ID": "@-0123456789",
    "X-Forwarded-Prefix": "/@",
    "X-Forwarded-For": "@, 203.0.113.9",
    "X-Forwarded-Port": "4242",
    "X-Forwarded-Server": "@",
    "X-Forwarded-Scheme": "@",
    "X-Forwarded-Ssl": "on",
    "X-Real-IP": "203.0.113.9",
    "Forwarded": "for=203.0.113.9;host=@.example;proto=https",
    "X-Original-URL": "/@",
    "X-Rewrite-URL": "/login?@",
    "X-Original-Host": "@.example",
    "X-HTTP-Method-Override": "POST",
    "X-Method-Override": "DELETE",
    "Accept": "application/json;@",
    "Accept-Charset": "utf-16",
    "Accept-Datetime": "Thu, 01 Jan 1970 00:00:00 GMT",
    "Range": "bytes=0-9",
    "If-Range": '"@"',
    "If-Match": '"@"',
    "If-Modified-Since": "Sat, 99999999999999999999 Nov 2026 00:00:00 GMT",
    "If-Unmodified-Since": "Thu, 01 Jan 1970 00:00:00 GMT",
    "Sec-Fetch-Site": "cross-site",
    "Sec-Fetch-Mode": "@",
    "Sec-CH-Prefers-Color-Scheme": "dark",
    "Save-Data": "on",
    "Authorization": "Bearer @",
    "Cache-Control": "no-store, @",
    "Pragma": "no-cache",
    "Expect": "100-continue",
    "Content-Type": "application/x-www-form-urlencoded",
    "Transfer-Encoding": "@",
    "Upgrade": "websocket",
    "Via": "1.1 @",
    "TE": "trailers",
    "Turbo-Frame": "@",
    "X-CSRFToken": "@",
}
HOSTS = [
    f"@.{HOST}",
    HOST.upper(),
    f"{HOST}:80",
    f"{HOST}:8000",
    f"{HOST}.",
    "[::1]",
    "",
    "..",
    f"{HOST}/@",
]
HOSTS += [f"{HOST}@@.example", f"{HOST}, @.example", f"a b{HOST}", "\xff"]
FORWARDED = ["@.example", f"{HOST}, @.example", f"@.example, {HOST}:81", '"@"', "@:x"]
SCHEMES = ["https", "=http", "http,https", "@", "javascript", "http ", "ws"]
LANGUAGES = ["@", "zh;q=nan", "de, *;q=0.1", "zh-@", "x" * 900, "\xff", "zh;q=1e9,en"]
ENCODINGS = ["identity;q=0", "*", "br;q=0, *;q=0", "@", "BR", "gzip;q=inf", "\xff"]
COOKIES = [
    "linnet_form=@",
    "linnet=1.@",
    "linnet=@; linnet_form=@",
    "LINNET_LANG=zh",
    "=@",
    "x=@",
    "x=@; " * 300,
]
PREFERENCES = [
    "@",
    '"zh"',
    "zh; linnet_lang=en",
    "ZH",
    "zh%00",
    "\xff",
    "e" * 1900,
    '"dark"',
    "dark; linnet_theme=light",
]
TAGS = ["*", '"@"', 'W/"', "\xff", "," * 3_000]
ONE_BY_ONE = [  # headers that may change the sender's own reply
    *(("Host", host) for host in HOSTS),
    *(("X-Forwarded-Host", host) for host in FORWARDED),
    *(("X-Forwarded-Proto", scheme) for scheme in SCHEMES),
    *(("Accept-Language", tag) for tag in LANGUAGES),
    *(("Accept-Encoding", code) for code in ENCODINGS),
    *(("Cookie", cookie) for cookie in COOKIES),
    *(
        ("Cookie", f"{name}={value}")
        for name in ("linnet_lang", "linnet_theme")
        for value in PREFERENCES
    ),
    *(("If-None-Match", tag) for tag in TAGS),
]
METHODS = "POST PUT PATCH DELETE OPTIONS TRACE HEAD PURGE get".split()
QUERIES = """
    @ @=1 _x=@ _=@ %5Fx=@ x=@&track=@ track=@&x track=@ track=@&track=b track=b&track=@ Track=@
    track track= =@ & &&@     ? ?track=@ track=@;x=1 ;track=@ track%00=@ track=%00@ %74rack=@
    track=%FF@ track=%E2%98@ track=\xc3\xa9@ track=+@     track=%C3%A9+@ track=%0d%0aX-@:1
    track=@#x #@ track=<@> track[]=@ track.x=@ max_id=@ max_id=5 max_id=05 max_id=+5
    max_id=5&max_id=6 max_id=5&@=6 max_id=5&_=@ max_id=-1 max_id=1e3 max_id=%EF%BC%95
    max_id=9007199254740992 ids=@     ids= ids=1,2 ids=1&ids=2 login=@ login=finch next=//@
    format=json callback=@ lang=zh linnet_lang=zh theme=dark
""".split()
QUERIES += [
    "track=" + "@" * 2_500,
    "&".join("track=@" for _ in range(90)),
    "x=1&" * 480 + "track=@",
]
# Paths like an existing one, {0}; {1} and {2} are that path in other cases.
PATHS = r"""
    /{0} //{0} {0}/ {0}// /.{0} /x/..{0} {0}/. {0}/.. {0};@ {0};track=@ {0}%2e {0}? {0}?@ {0}#@
    {0}.json {0}.css {0}/@     {0}%20 {0}%00 {1} {2} {0}\ \{0} {0}/x.css
""".split()
PATHS += ["{0}\n", "{0}\0", "{0}\0@", "{0}\xff", "{0} ", "\0{0}"]
