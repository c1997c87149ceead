"""Takes a gradient apart: the paths it came along, its local derivatives, its slope by finite differences.

It runs a program again under a recorder of its own and looks closer at one backward pass. Start with
`backward_pass.py` (what is gathered), then `local.py` (one node's derivatives), `paths.py` (how they add up)
and `slopes.py` (the estimate that needs no graph).
"""
