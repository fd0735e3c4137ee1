"""Releases of numbers: how they are drawn from a plan (`edgedp.plan.numbers`), and what is shown.

============================  =====================================================================
`edgedp.numbers.counting`     one number: profile, law, draw
`edgedp.numbers.error_bars`   the interval around it, where it is public or was bought
`edgedp.numbers.distributing` the distribution of the degrees
`edgedp.numbers.summarizing`  several numbers for one debit
`edgedp.numbers.answers`      what of it is shown
============================  =====================================================================
"""
