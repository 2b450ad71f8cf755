"""The streaming API, version 1.1: `sample.json`, `filter.json` and `firehose.json`."""
