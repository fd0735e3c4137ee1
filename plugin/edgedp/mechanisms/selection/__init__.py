"""Selection beyond edges: anybody's scores, and percentiles of a node property.

===============  ===========================================================================
`picking`        `edgedp.select` and `edgedp.select_top_k`: the caller's utilities and promises
`domains`        public domains and grids; values of any type to numbers or codes
`questions`      what is asked of a percentile: validated, canonical, public
`percentiles`    `edgedp.percentile`, the draw and the law of it
===============  ===========================================================================
"""
