"""The expected audience of wren's statuses: what finch and visitors see on every path."""

from dataclasses import dataclass

# Columns: the relationship of finch, the viewer, to wren, the author.
#   named: wren's statuses mention finch; both: finch follows wren and is named;
#   unfollowed: finch followed until a moment ago; muted: both, and finch mutes wren;
#   blocking: both, until finch blocks wren; blocked: both, until wren blocks finch;
#   author: the viewer is wren; listed: wren has finch on a list; admin: finch is an admin.
# Cells: the first letters of the visibilities that the viewer sees.
#   p: public, u: unlisted, f: for followers, m: for mentioned members, g: for wren's closed group.
TABLE = """
                  stranger follower named both unfollowed muted blocking blocked author listed admin
home              -        puf      -     pufm -          -     -        -       pufmg  -      -
replies at home   -        puf      -     pufm -          -     -        -       pufm   -      -
followed tag      p        p        p     p    p          -     -        -       pufmg  p      p
public            p        p        p     p    p          -     -        -       p      p      p
hot               p        p        p     p    p          -     -        -       p      p      p
explore           p        p        p     p    p          -     -        -       p      p      p
profile           pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
profile replies   pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
media tab         pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
likes tab         pu       puf      pufm  pufm pu         -     -        -       pufmg  pu     pu
permalink         pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
thread above      pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
thread below      pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
tag               p        p        p     p    p          -     -        -       p      p      p
search            p        p        p     p    p          -     -        -       p      p      p
search top        p        p        p     p    p          -     -        -       p      p      p
search own        -        -        -     -    -          -     -        -       pufmg  -      -
hot tag           p        p        p     p    p          -     -        -       p      p      p
history           pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
menu              pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
pinned            pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
group pins        -        -        -     -    -          -     -        -       g      -      -
group link        -        -        -     -    -          -     -        -       -      -      -
group reports     -        -        -     -    -          -     -        -       -      -      -
by ids            pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
picture           pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
own list          pu       puf      pufm  pufm pu         -     -        -       pu     pu     pu
other's list      pu       puf      pufm  pufm pu         -     -        -       pufm   pu     pu
bookmarks         pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
notifications     pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
push              pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
likers            pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
like count        pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
reply count       pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
boost count       pu       pu       pu    pu   pu         pu    -        -       pu     pu     pu
quote count       pu       pu       pu    pu   pu         pu    -        -       pu     pu     pu
counts as a reply pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
counts as a quote pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
may like          pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
may boost         pu       pu       pu    pu   pu         pu    -        -       pu     pu     pu
boosters          pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
may vote          pu       puf      pufm  pufm pu         pufm  -        -       -      pu     pu
may bookmark      pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
may reply         pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
may forward       pu       pu       pu    pu   pu         pu    -        -       pu     pu     pu
may report        pu       puf      pufm  pufm pu         pufm  -        -       -      pu     pu
chat card         pu       pu       pu    pu   pu         pu    -        -       pu     pu     pu
quote card        pu       puf      pufm  pufm pu         -     -        -       pufmg  pu     pu
quotes            pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
in quotes         pu       pu       pu    pu   pu         pu    -        -       pu     pu     pu
may quote         pu       pu       pu    pu   pu         pu    -        -       pu     pu     pu
exists            pu       puf      pufm  pufm pu         pufm  pufm     pufm    pufmg  pu     pu
counts in trends  p        p        p     p    p          p     p        p       p      p      p
tag completion    p        p        p     p    p          p     p        p       pufmg  p      p
suggested by tag  p        -        p     -    p          -     -        -       -      p      p
view count        -        -        -     -    -          -     -        -       pufmg  -      -
"""
# The same while wren is protected.
PROTECTED_TABLE = """
                  stranger named follower both muted blocked author
home              -        -     puf      pufm -     -       pufmg
replies at home   -        -     puf      pufm -     -       pufm
followed tag      -        -     -        -    -     -       pufmg
public            -        -     -        -    -     -       -
hot               -        -     -        -    -     -       -
explore           -        -     -        -    -     -       -
profile           -        fm    puf      pufm pufm  -       pufmg
profile replies   -        fm    puf      pufm pufm  -       pufm
media tab         -        fm    puf      pufm pufm  -       pufm
likes tab         -        fm    puf      pufm -     -       pufmg
permalink         -        fm    puf      pufm pufm  -       pufmg
thread above      -        fm    puf      pufm pufm  -       pufmg
thread below      -        fm    puf      pufm pufm  -       pufm
tag               -        -     -        -    -     -       -
search            -        -     -        -    -     -       -
search top        -        -     -        -    -     -       -
search own        -        -     -        -    -     -       pufmg
hot tag           -        -     -        -    -     -       -
history           -        fm    puf      pufm pufm  -       pufmg
menu              -        fm    puf      pufm pufm  -       pufmg
pinned            -        fm    puf      pufm pufm  -       pufmg
group pins        -        -     -        -    -     -       g
group link        -        -     -        -    -     -       -
group reports     -        -     -        -    -     -       -
by ids            -        fm    puf      pufm pufm  -       pufmg
picture           -        fm    puf      pufm pufm  -       pufmg
own list          -        fm    puf      pufm -     -       pu
other's list      -        fm    puf      pufm -     -       pufm
bookmarks         -        fm    puf      pufm pufm  -       pufmg
notifications     -        fm    puf      pufm pufm  -       pufmg
push              -        fm    puf      pufm pufm  -       pufmg
likers            -        fm    puf      pufm pufm  -       pufmg
like count        -        fm    puf      pufm pufm  -       pufmg
reply count       -        fm    puf      pufm pufm  -       pufmg
boost count       -        -     -        -    -     -       -
quote count       -        -     -        -    -     -       -
counts as a reply -        -     -        -    -     -       -
counts as a quote -        -     -        -    -     -       -
may like          -        fm    puf      pufm pufm  -       pufmg
may boost         -        -     -        -    -     -       -
boosters          -        fm    puf      pufm pufm  -       pufmg
may vote          -        fm    puf      pufm pufm  -       -
may bookmark      -        fm    puf      pufm pufm  -       pufmg
may reply         -        fm    puf      pufm pufm  -       pufmg
may forward       -        -     -        -    -     -       -
may report        -        fm    puf      pufm pufm  -       -
chat card         -        -     -        -    -     -       -
quote card        -        fm    puf      pufm -     -       pufmg
quotes            -        fm    puf      pufm pufm  -       pufmg
in quotes         -        -     pu       pu   pu    -       pu
may quote         -        -     -        -    -     -       -
exists            -        fm    puf      pufm pufm  fm      pufmg
counts in trends  -        -     -        -    -     -       -
tag completion    -        -     -        -    -     -       pufmg
suggested by tag  -        -     -        -    -     -       -
view count        -        -     -        -    -     -       pufmg
"""
# The same for strangers to wren who are in the closed group, were until a moment ago, or are
# invited to it.
GROUP_TABLE = """
                  grouped removed invited
home              g       -       -
replies at home   -       -       -
followed tag      pg      p       p
public            p       p       p
hot               p       p       p
explore           p       p       p
profile           pu      pu      pu
profile replies   pu      pu      pu
media tab         pu      pu      pu
likes tab         pug     pu      pu
permalink         pug     pu      pu
thread above      pug     pu      pu
thread below      pu      pu      pu
tag               p       p       p
search            p       p       p
search top        p       p       p
search own        -       -       -
hot tag           p       p       p
history           pug     pu      pu
menu              pug     pu      pu
pinned            pu      pu      pu
group pins        g       -       -
group link        -       -       -
group reports     -       -       -
by ids            pug     pu      pu
picture           pug     pu      pu
own list          pu      pu      pu
other's list      pu      pu      pu
bookmarks         pug     pu      pu
notifications     pug     pu      pu
push              pug     pu      pu
likers            pug     pu      pu
like count        pug     pu      pu
reply count       pug     pu      pu
boost count       pu      pu      pu
quote count       pu      pu      pu
counts as a reply pu      pu      pu
counts as a quote pu      pu      pu
may like          pug     pu      pu
may boost         pu      pu      pu
boosters          pug     pu      pu
may vote          pug     pu      pu
may bookmark      pug     pu      pu
may reply         pug     pu      pu
may forward       pu      pu      pu
may report        pug     pu      pu
chat card         pu      pu      pu
quote card        pu      pu      pu
quotes            pug     pu      pu
in quotes         pu      pu      pu
may quote         pu      pu      pu
exists            pug     pu      pu
counts in trends  p       p       p
tag completion    p       p       p
suggested by tag  p       p       p
view count        -       -       -
"""
# What visitors see, whatever finch is to wren, while wren is open and while she is protected. They
# look where finch, or wren herself, sees least or most.
VISITOR_TABLE = """
                  open protected
visitor search    p    -
search feed       p    -
visitor group     -    -
visitor boosters  pu   -
feed              pu   -
public feed       p    -
tag feed          p    -
visitor front     p    -
site map          p    -
visitor public    p    -
visitor hot       p    -
visitor explore   p    -
visitor profile   pu   -
visitor replies   pu   -
visitor media     pu   -
visitor likes     pu   -
visitor permalink pu   -
visitor by ids    pu   -
visitor picture   pu   -
visitor thread    pu   -
visitor history   pu   -
visitor menu      pu   -
visitor pinned    pu   -
visitor likers    pu   -
visitor counts    pu   -
visitor list      pu   -
visitor tag       p    -
visitor hot tag   p    -
visitor quotes    pu   -
visitor card      pu   -
visitor in quotes pu   -
link picture      pu   -
embedded post     pu   -
oembed            pu   -
"""
NAMED = ("named", "both", "muted", "blocking", "blocked")
IN_GROUP = ("grouped", "removed")
WITH_VISITORS = ("blocked", "author")
FOLLOWING = ("follower", "unfollowed", "both", "muted", "blocking", "blocked")
Cells = dict[str, str]


def parse_table(table: str) -> dict[str, Cells]:
    """Return the cells of each column by row."""
    head, *lines = table.strip("\n").split("\n")
    rows = {line[:18].strip(): line[18:].split() for line in lines}
    return {
        column: {row: cells[index] for row, cells in rows.items()}
        for index, column in enumerate(head.split())
    }


@dataclass(frozen=True)
class Column:
    """Hold the expected cells of one relationship."""

    relationship: str
    protected: bool
    cells: Cells

    @property
    def viewer_login(self) -> str:
        return "wren" if self.relationship == "author" else "finch"

    @property
    def with_visitors(self) -> bool:
        return self.relationship in WITH_VISITORS

    @property
    def named(self) -> bool:
        return self.relationship in NAMED

    @property
    def follows(self) -> bool:
        return self.relationship in FOLLOWING

    def __str__(self) -> str:
        return f"protected {self.relationship}" if self.protected else self.relationship


VISITORS = parse_table(VISITOR_TABLE)
COLUMNS = [
    Column(relationship, protected, cells | (visitors if relationship in WITH_VISITORS else {}))
    for protected, table, visitors in (
        (False, TABLE, VISITORS["open"]),
        (True, PROTECTED_TABLE, VISITORS["protected"]),
        (False, GROUP_TABLE, {}),
    )
    for relationship, cells in parse_table(table).items()
]
