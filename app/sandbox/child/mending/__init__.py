"""Makes programs of what people paste: prompts, fences, full-width signs, missing imports. Text in, text out.

Runs in the child only: parsing a stranger's text is part of running it. What was right stays as it is.
"""
