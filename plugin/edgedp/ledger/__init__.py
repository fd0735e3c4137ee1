"""What may be spent, and what was: accounts, shares, scripts, the log. It knows no database and reads no edge."""
