"""`python -m bench [name …]`: takes the measurements and prints them as a table.

`stream`, `apps`, `soak`, `chat` and `autocomplete` take minutes and only run when they are named.
So do `encodings` and `packing`, which look at what the site could do instead, `outage`, which stops
a store, `simulate`, which asks a model, `replicas`, which runs three stores, and `search` with its
three further parts. SOAK_SECONDS says how long `soak` takes.
"""

import sys

from . import (
    autocomplete,
    boards,
    client_api,
    deliveries,
    drops,
    encodings,
    growth,
    hot,
    http,
    market,
    memory,
    nearby,
    outage,
    packing,
    post_cost,
    promotions,
    replicas,
    simulate,
    suggestions,
    trends,
)
from .chat import comparison as chat
from .search import (
    comparison as search,
    growth as search_growth,
    indexing as search_indexing,
    load as search_load,
)
from .stream import apps, capacity, matching
from .table import markdown

PARTS = {
    "client-api": client_api.measure,
    "deliveries": deliveries.measure,
    "http": http.measure,
    "matching": matching.measure,
    "memory": memory.measure,
    "posts": post_cost.measure,
    "trends": trends.measure,
}
PARTS |= {
    "drops": drops.measure,
    "growth": growth.measure,
    "hot": hot.measure,
    "market": market.measure,
    "nearby": nearby.measure,
    "promotions": promotions.measure,
    "suggestions": suggestions.measure,
}
LONG = {
    "stream": capacity.measure,
    "apps": apps.measure,
    "soak": capacity.soak,
    "chat": chat.measure,
    "autocomplete": autocomplete.measure,
    "boards": boards.measure,
    "encodings": encodings.measure,
    "outage": outage.measure,
    "packing": packing.measure,
    "simulate": simulate.measure,
    "replicas": replicas.measure,
    "search": search.measure,
    "search-growth": search_growth.measure,
    "search-indexing": search_indexing.measure,
    "search-load": search_load.measure,
}


def main(names: list[str]) -> None:
    """Run the named measurements, or all but the long ones. Exits if a name is wrong."""
    parts = PARTS | LONG
    if unknown := [name for name in names if name not in parts]:
        sys.exit(f"No measurement is called {unknown[0]}. There are: {', '.join(parts)}.")
    figures = [figure for name in names or PARTS for figure in parts[name]()]
    print(
        "Medians of alternating rounds on one machine; "
        "the store does not write to disk for either side.\n"
    )
    print(markdown(figures))
    missed = [figure.name for figure in figures if figure.met is False]
    print()
    print(f"Targets missed: {'; '.join(missed)}." if missed else "All targets are met.")


if __name__ == "__main__":
    main(sys.argv[1:])
