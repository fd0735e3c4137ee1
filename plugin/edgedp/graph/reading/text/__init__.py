"""From lines of text to columns of ids. Guesses are refused or asked about, never taken in silence."""
