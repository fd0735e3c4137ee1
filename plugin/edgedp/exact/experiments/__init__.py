"""The papers' experiments: releases repeated on graphs at hand, how good they were, a report, and advice.

========================  ==================================================================================
`grid`                    the plan of an experiment as pure data, and the seed of every run
`facts`                   what all runs on a graph share, computed once
`runs`, `running`         cells to rows, by the product's own draws; in one process or several
`rows`, `keeping`         the columns, and Parquet files of what is finished
`samples`, `generators`   breadth-first samples, synthetic graphs
`growth`                  seconds on graphs of several sizes
`curves`                  rows to curves: mean, median, quartiles, standard error, epsilon needed
`advice`                  which mechanism and which epsilon, tried on public look-alikes
`published`               figures of the publications
`report`                  a page that shows all of it
========================  ==================================================================================

Nothing here is a release: quality is computed from exact values, and words are seeded so that runs can be repeated.
"""
