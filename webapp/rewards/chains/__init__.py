"""Chains: sales across partitions, as steps that are safe to repeat. See `chain.py`."""
