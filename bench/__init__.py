"""Side-by-side benchmarks: `python bench` measures every row of `rows/` and writes RESULTS.md with its plots."""
