"""The store: reads, scripts and ids, and the site that a function needs to use them."""

from .client import Db as Db
from .ids import PARTITIONS as PARTITIONS
from .ids import created_at as created_at
from .ids import first_id_at as first_id_at
from .ids import parse_id as parse_id
from .ids import partition_of as partition_of
from .reads import Command as Command
from .reads import Read as Read
from .reads import collect as collect
from .reads import constant as constant
from .reads import gather as gather
from .reads import listed_in as listed_in
from .reads import read as read
from .reads import read_numbers as read_numbers
from .reads import to_dict as to_dict
from .scripts import script as script
from .site import Site as Site
from .steps import Steps as Steps
from .steps import ask as ask
from .steps import do_steps as do_steps
from .steps import results_of as results_of
from .steps import results_of_all as results_of_all
from .steps import send as send
from .steps import send_all as send_all
