"""The search index: documents by their terms, spread over shards."""
