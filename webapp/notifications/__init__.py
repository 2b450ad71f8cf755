"""Notifications of other members' actions."""
