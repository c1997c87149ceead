"""The rule table: one row per operation. `table.py` says what a row is; importing `rows` fills it."""
