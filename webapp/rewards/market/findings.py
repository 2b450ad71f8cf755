"""What `linnet doctor` says about trades."""

from __future__ import annotations

from .trading import TRADES

findings = TRADES.findings
