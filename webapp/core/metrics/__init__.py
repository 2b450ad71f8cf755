"""Metrics: what each process counts and measures, and how it gets to the store.

Processes add up in memory (recorder.py) and send a batch every three seconds (core/reporter.py).
The room `metrics` reads it.
"""
