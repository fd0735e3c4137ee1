"""The way of a stored release: plan, debit, project, draw, record, show. No step is skipped or swapped."""
