"""The addresses. A route parses, calls one function, answers."""
