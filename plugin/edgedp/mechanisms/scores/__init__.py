"""Integer scores of what may be picked, and how far one edge moves them. Samplers draw, not these."""
