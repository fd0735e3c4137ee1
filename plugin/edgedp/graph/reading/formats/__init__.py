"""Formats that say more than lines of text do: tables, matrices, networks, markup."""
