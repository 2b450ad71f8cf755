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
visitor search    p        p        p     p    p          p     p        p       p      p      p
search feed       p        p        p     p    p          p     p        p       p      p      p
hot tag           p        p        p     p    p          -     -        -       p      p      p
history           pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
menu              pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
pinned            pu       puf      pufm  pufm pu         pufm  -        -       pufmg  pu     pu
group pins        -        -        -     -    -          -     -        -       g      -      -
group link        -        -        -     -    -          -     -        -       -      -      -
group reports     -        -        -     -    -          -     -        -       -      -      -
visitor group     -        -        -     -    -          -     -        -       -      -      -
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
visitor boosters  pu       pu       pu    pu   pu         pu    pu       pu      pu     pu     pu
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
visitor group     -        -     -        -    -     -       -
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
visitor boosters  -        -     -        -    -     -       -
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
visitor search    p       p       p
search feed       p       p       p
hot tag           p       p       p
history           pug     pu      pu
menu              pug     pu      pu
pinned            pu      pu      pu
group pins        g       -       -
group link        -       -       -
group reports     -       -       -
visitor group     -       -       -
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
visitor boosters  pu      pu      pu
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
feed              pu      pu      pu
public feed       p       p       p
tag feed          p       p       p
visitor front     p       p       p
site map          p       p       p
visitor public    p       p       p
visitor hot       p       p       p
visitor explore   p       p       p
visitor profile   pu      pu      pu
visitor replies   pu      pu      pu
visitor media     pu      pu      pu
visitor likes     pu      pu      pu
visitor permalink pu      pu      pu
visitor by ids    pu      pu      pu
visitor picture   pu      pu      pu
visitor thread    pu      pu      pu
visitor history   pu      pu      pu
visitor menu      pu      pu      pu
visitor pinned    pu      pu      pu
visitor likers    pu      pu      pu
visitor counts    pu      pu      pu
visitor list      pu      pu      pu
visitor tag       p       p       p
visitor hot tag   p       p       p
visitor quotes    pu      pu      pu
visitor card      pu      pu      pu
visitor in quotes pu      pu      pu
link picture      pu      pu      pu
embedded post     pu      pu      pu
oembed            pu      pu      pu
"""
NAMED = ("named", "both", "muted", "blocking", "blocked")
IN_GROUP = ("grouped", "removed")
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
    for protected, table in ((False, TABLE), (True, PROTECTED_TABLE), (False, GROUP_TABLE))
    for relationship, cells in parse_table(table).items()
]
