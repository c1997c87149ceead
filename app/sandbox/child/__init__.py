"""What runs beside a learner's program, and nothing else: the warm parent, the child, the language wall.

The only room of the app that knows the engine. The server never imports it; it starts it (`launch.py`).
"""
