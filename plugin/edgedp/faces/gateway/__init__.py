"""The gateway: releases and budgets of a store over HTTP, and nothing else of it.

Whoever opens a store reads every edge. The gateway is what an analyst is given in its place: it holds
the store, asks who calls by a token, and takes every release by the one way that exists (plan, debit,
project, draw, record) out of the caller's share. Nothing here computes a value of a graph.

`settings` says how it may be run, `wire` what reaches it, `api` and `pages` what is answered, `work` where
draws run and when answers leave, `observing` what is written down, `server` puts them on a socket.
"""
