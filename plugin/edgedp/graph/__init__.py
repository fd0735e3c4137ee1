"""From bytes to rows and exact quantities: reading, ids, engines. It knows no epsilon and no store."""
