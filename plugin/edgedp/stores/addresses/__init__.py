"""Edges at addresses: their registration, and rows that were read and are kept."""
