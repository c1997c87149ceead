"""Holds a trace against itself and derives every number again. Shares nothing with engine or recorder."""
