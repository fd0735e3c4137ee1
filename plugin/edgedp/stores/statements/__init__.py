"""The statements of ``queries/``, and what databases compute by them. No other folder holds a statement."""
