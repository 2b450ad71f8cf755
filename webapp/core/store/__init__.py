"""The store: reads, scripts and ids, and the site that a function needs to use them."""

from .client import Db as Db
from .ids import (
    PARTITIONS as PARTITIONS,
    created_at as created_at,
    first_id_at as first_id_at,
    parse_id as parse_id,
    partition_of as partition_of,
)
from .reads import (
    Command as Command,
    Read as Read,
    collect as collect,
    constant as constant,
    gather as gather,
    listed_in as listed_in,
    read as read,
    read_numbers as read_numbers,
    to_dict as to_dict,
)
from .scripts import script as script
from .site import Site as Site
from .steps import (
    Steps as Steps,
    ask as ask,
    do_steps as do_steps,
    results_of as results_of,
    results_of_all as results_of_all,
    send as send,
    send_all as send_all,
)
