"""The JSON of the streaming API, in the shapes of Twitter's version 1.1."""
