"""Tests of view counts."""
