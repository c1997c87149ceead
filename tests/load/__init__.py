"""A crowd of clients on the loopback address: `python -m tests.load`."""
