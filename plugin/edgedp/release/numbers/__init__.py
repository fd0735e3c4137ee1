"""Releases of numbers: how they are drawn from a plan (`edgedp.release.plan.numbers`), and what is shown.

============================  =====================================================================
`edgedp.release.numbers.counting`     one number: profile, law, draw
`edgedp.release.numbers.error_bars`   the interval around it, where it is public or was bought
`edgedp.release.numbers.distributing` the distribution of the degrees
`edgedp.release.numbers.summarizing`  several numbers for one debit
`edgedp.release.numbers.answers`      what of it is shown
============================  =====================================================================
"""
