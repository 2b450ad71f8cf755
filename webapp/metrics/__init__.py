"""Figures for operators: charts, times of routes, log lines, processes; and `/metrics`."""
