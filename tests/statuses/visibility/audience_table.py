"""The expected audience of wren's statuses: what finch and visitors see on every path."""

from __future__ import annotations

from dataclasses import dataclass

# Columns: the relationship of finch, the viewer, to wren, the author.
#   named: wren's statuses mention finch; both: finch follows wren and is named;
#   unfollowed: finch followed until a moment ago; muted: both, and finch mutes wren;
#   blocking: both, until finch blocks wren; blocked: both, until wren blocks finch;
#   author: the viewer is wren; listed: wren has finch on a list; admin: finch is an admin.
# Cells: the first letters of the visibilities that the viewer sees.
#   p: public, u: unlisted, f: for followers, m: for mentioned members.
TABLE = """
                  stranger follower named both unfollowed muted blocking blocked author listed admin
home              -        puf      -     pufm -          -     -        -       pufm   -      -
replies at home   -        puf      -     pufm -          -     -        -       pufm   -      -
followed tag      p        p        p     p    p          -     -        -       pufm   p      p
public            p        p        p     p    p          -     -        -       p      p      p
hot               p        p        p     p    p          -     -        -       p      p      p
explore           p        p        p     p    p          -     -        -       p      p      p
profile           pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
profile replies   pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
media tab         pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
likes tab         pu       puf      pufm  pufm pu         -     -        -       pufm   pu     pu
permalink         pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
thread above      pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
thread below      pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
tag               p        p        p     p    p          -     -        -       p      p      p
search            p        p        p     p    p          -     -        -       p      p      p
search top        p        p        p     p    p          -     -        -       p      p      p
search own        -        -        -     -    -          -     -        -       pufm   -      -
visitor search    p        p        p     p    p          p     p        p       p      p      p
search feed       p        p        p     p    p          p     p        p       p      p      p
hot tag           p        p        p     p    p          -     -        -       p      p      p
history           pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
menu              pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
pinned            pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
by ids            pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
picture           pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
own list          pu       puf      pufm  pufm pu         -     -        -       pu     pu     pu
other's list      pu       puf      pufm  pufm pu         -     -        -       pufm   pu     pu
bookmarks         pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
notifications     pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
push              pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
likers            pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
like count        pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
reply count       pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
boost count       pu       pu       pu    pu   pu         pu    -        -       pu     pu     pu
quote count       pu       pu       pu    pu   pu         pu    -        -       pu     pu     pu
counts as a reply pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
counts as a quote pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
may like          pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
may boost         pu       pu       pu    pu   pu         pu    -        -       pu     pu     pu
boosters          pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
visitor boosters  pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
may vote          pu       puf      pufm  pufm pu         pufm  -        -       -      pu     pu
may bookmark      pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
may reply         pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
may forward       pu       pu       pu    pu   pu         pu    -        -       pu     pu     pu
may report        pu       puf      pufm  pufm pu         pufm  -        -       -      pu     pu
chat card         pu       pu       pu    pu   pu         pu    -        -       pu     pu     pu
quote card        pu       puf      pufm  pufm pu         -     -        -       pufm   pu     pu
quotes            pu       puf      pufm  pufm pu         pufm  -        -       pufm   pu     pu
in quotes         pu       pu       pu    pu   pu         pu    -        -       pu     pu     pu
may quote         pu       pu       pu    pu   pu         pu    -        -       pu     pu     pu
exists            pu       puf      pufm  pufm pu         pufm  pufm     pufm    pufm   pu     pu
counts in trends  p        p        p     p    p          p     p        p       p      p      p
tag completion    p        p        p     p    p          p     p        p       pufm   p      p
suggested by tag  p        -        p     -    p          -     -        -       -      p      p
view count        -        -        -     -    -          -     -        -       pufm   -      -
feed              pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
public feed       p        p        p     p    p          p     p        p       p      p      p
tag feed          p        p        p     p    p          p     p        p       p      p      p
visitor front     p        p        p     p    p          p     p        p       p      p      p
site map          p        p        p     p    p          p     p        p       p      p      p
visitor public    p        p        p     p    p          p     p        p       p      p      p
visitor hot       p        p        p     p    p          p     p        p       p      p      p
visitor explore   p        p        p     p    p          p     p        p       p      p      p
visitor profile   pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
visitor replies   pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
visitor media     pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
visitor likes     pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
visitor permalink pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
visitor by ids    pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
visitor picture   pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
visitor thread    pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
visitor history   pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
visitor menu      pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
visitor pinned    pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
visitor likers    pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
visitor counts    pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
visitor list      pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
visitor tag       p        p        p     p    p          p     p        p       p      p      p
visitor hot tag   p        p        p     p    p          p     p        p       p      p      p
visitor quotes    pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
visitor card      pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
visitor in quotes pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
link picture      pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
embedded post     pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
oembed            pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
"""
# The same while wren is protected.
PROTECTED_TABLE = """
                  stranger named follower both muted blocked author
home              -        -     puf      pufm -     -       pufm
replies at home   -        -     puf      pufm -     -       pufm
followed tag      -        -     -        -    -     -       pufm
public            -        -     -        -    -     -       -
hot               -        -     -        -    -     -       -
explore           -        -     -        -    -     -       -
profile           -        fm    puf      pufm pufm  -       pufm
profile replies   -        fm    puf      pufm pufm  -       pufm
media tab         -        fm    puf      pufm pufm  -       pufm
likes tab         -        fm    puf      pufm -     -       pufm
permalink         -        fm    puf      pufm pufm  -       pufm
thread above      -        fm    puf      pufm pufm  -       pufm
thread below      -        fm    puf      pufm pufm  -       pufm
tag               -        -     -        -    -     -       -
search            -        -     -        -    -     -       -
search top        -        -     -        -    -     -       -
search own        -        -     -        -    -     -       pufm
hot tag           -        -     -        -    -     -       -
history           -        fm    puf      pufm pufm  -       pufm
menu              -        fm    puf      pufm pufm  -       pufm
pinned            -        fm    puf      pufm pufm  -       pufm
by ids            -        fm    puf      pufm pufm  -       pufm
picture           -        fm    puf      pufm pufm  -       pufm
own list          -        fm    puf      pufm -     -       pu
other's list      -        fm    puf      pufm -     -       pufm
bookmarks         -        fm    puf      pufm pufm  -       pufm
notifications     -        fm    puf      pufm pufm  -       pufm
push              -        fm    puf      pufm pufm  -       pufm
likers            -        fm    puf      pufm pufm  -       pufm
like count        -        fm    puf      pufm pufm  -       pufm
reply count       -        fm    puf      pufm pufm  -       pufm
boost count       -        -     -        -    -     -       -
quote count       -        -     -        -    -     -       -
counts as a reply -        -     -        -    -     -       -
counts as a quote -        -     -        -    -     -       -
may like          -        fm    puf      pufm pufm  -       pufm
may boost         -        -     -        -    -     -       -
boosters          -        fm    puf      pufm pufm  -       pufm
visitor boosters  -        -     -        -    -     -       -
may vote          -        fm    puf      pufm pufm  -       -
may bookmark      -        fm    puf      pufm pufm  -       pufm
may reply         -        fm    puf      pufm pufm  -       pufm
may forward       -        -     -        -    -     -       -
may report        -        fm    puf      pufm pufm  -       -
chat card         -        -     -        -    -     -       -
quote card        -        fm    puf      pufm -     -       pufm
quotes            -        fm    puf      pufm pufm  -       pufm
in quotes         -        -     pu       pu   pu    -       pu
may quote         -        -     -        -    -     -       -
exists            -        fm    puf      pufm pufm  fm      pufm
counts in trends  -        -     -        -    -     -       -
tag completion    -        -     -        -    -     -       pufm
suggested by tag  -        -     -        -    -     -       -
view count        -        -     -        -    -     -       pufm
feed              -        -     -        -    -     -       -
public feed       -        -     -        -    -     -       -
tag feed          -        -     -        -    -     -       -
visitor front     -        -     -        -    -     -       -
site map          -        -     -        -    -     -       -
visitor public    -        -     -        -    -     -       -
visitor hot       -        -     -        -    -     -       -
visitor explore   -        -     -        -    -     -       -
visitor profile   -        -     -        -    -     -       -
visitor replies   -        -     -        -    -     -       -
visitor media     -        -     -        -    -     -       -
visitor likes     -        -     -        -    -     -       -
visitor search    -        -     -        -    -     -       -
search feed       -        -     -        -    -     -       -
visitor permalink -        -     -        -    -     -       -
visitor by ids    -        -     -        -    -     -       -
visitor picture   -        -     -        -    -     -       -
visitor thread    -        -     -        -    -     -       -
visitor history   -        -     -        -    -     -       -
visitor menu      -        -     -        -    -     -       -
visitor pinned    -        -     -        -    -     -       -
visitor likers    -        -     -        -    -     -       -
visitor counts    -        -     -        -    -     -       -
visitor list      -        -     -        -    -     -       -
visitor tag       -        -     -        -    -     -       -
visitor hot tag   -        -     -        -    -     -       -
visitor quotes    -        -     -        -    -     -       -
visitor card      -        -     -        -    -     -       -
visitor in quotes -        -     -        -    -     -       -
link picture      -        -     -        -    -     -       -
embedded post     -        -     -        -    -     -       -
oembed            -        -     -        -    -     -       -
"""
NAMED = ("named", "both", "muted", "blocking", "blocked")
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
    def named(self) -> bool:
        return self.relationship in NAMED

    @property
    def follows(self) -> bool:
        return self.relationship in FOLLOWING

    def __str__(self) -> str:
        return f"protected {self.relationship}" if self.protected else self.relationship


COLUMNS = [
    Column(relationship, protected, cells)
    for protected, table in ((False, TABLE), (True, PROTECTED_TABLE))
    for relationship, cells in parse_table(table).items()
]
