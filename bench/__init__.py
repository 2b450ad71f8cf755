"""Repeatable measurements. Every figure stands beside a reference measured in the same run, in
alternating rounds, so that the ratio of the two means something on a noisy machine too.
"""
