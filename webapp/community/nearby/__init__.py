"""Nearby: posts with a public place around a point, and members who chose to be found there."""
