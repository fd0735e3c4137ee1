"""The commands. Each opens a store, calls one method and prints what it returns."""
