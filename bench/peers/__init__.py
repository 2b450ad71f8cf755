"""The site beside its peers: the same data, the same load, one after another on the same machine.
An environment of its own holds what the peers need; the site needs nothing of it.
"""
