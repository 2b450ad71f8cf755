"""What `linnet doctor` says about orders."""

from __future__ import annotations

from .ordering import ORDERS

findings = ORDERS.findings
