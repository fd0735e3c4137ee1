"""Debits of a release, with their leases and kept answers. A debit commits before anything is drawn."""
