"""The trace: what one run of a snippet did, as rows. Watches the engine from outside."""
