"""Compare the site with its peers: the same data and load, in turn on the same machine.

The packages of the peers are installed in a separate environment.
"""
