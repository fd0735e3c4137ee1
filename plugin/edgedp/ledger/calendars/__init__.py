"""Calendars of accounts: what their terms say, the spans that releases ask for, the sums of runs of windows."""
