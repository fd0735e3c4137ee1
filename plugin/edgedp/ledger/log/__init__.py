"""The log as it is shown, exported and compared. It reads only; scripts write."""
