"""Calendars: which windows of time there are, how they are called, and when one may be released; public facts alone."""
