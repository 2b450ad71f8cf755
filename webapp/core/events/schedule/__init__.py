"""When a worker does what: values that one computes in turn, and groups that go before others."""
