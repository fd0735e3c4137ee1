"""People with tokens, their sessions, and the store as one analyst sees it."""
