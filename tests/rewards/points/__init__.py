"""Tests of the ledger, check-ins and boards."""
