"""Runs a learner's program where it can hurt nobody: two walls, a pool of warm processes, bytes out.
Checks a trace behind the same process wall (checks.py, child/check.py).

Start with pool.py (the door the server uses), then child/zygote.py and child/run.py, and the two walls:
child/guard.py (what a program may say) and lockdown.py (what its process may do).
"""
