"""Subscriptions: followed members whose posts notify a member."""
