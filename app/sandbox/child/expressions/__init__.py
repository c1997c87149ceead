"""Makes a PyTorch program of a formula: `(x*y + sin(x))**2` becomes leaves, a result and `backward()`.

Runs in the child only: reading a stranger's text is part of running it. Text in, program and facts out.
"""
