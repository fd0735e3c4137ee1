"""Placeholder."""
from __future__ import annotations
from starlette.responses import PlainTextResponse
class Pages:
    def __init__(self, gateway): self._gateway = gateway
    def routes(self): return []
    def of_problem(self, request, problem): return PlainTextResponse(problem.detail, problem.status)
