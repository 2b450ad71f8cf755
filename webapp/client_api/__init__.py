"""The client API: phone apps and tools made for Mastodon sign in here and work.

`declaration.py` declares an endpoint, `endpoints/` has all of them, `entities/` what they answer,
`oauth/` how apps sign in. Endpoints call the store functions that pages call.
"""
