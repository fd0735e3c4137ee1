"""Amounts: epsilon as it was written, and rho where a budget has a delta; integers both."""
