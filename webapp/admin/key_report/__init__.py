"""`linnet doctor --keys`: what the store holds, by the declarations of `keys.py`."""
