"""What a type checker reads of `edgedp.quality`, whose code lies in `edgedp.exact.quality`."""

from edgedp.exact.quality import c_metric as c_metric
from edgedp.exact.quality import coverage as coverage
from edgedp.exact.quality import dominated_chance as dominated_chance
from edgedp.exact.quality import limit as limit
from edgedp.exact.quality import recall as recall
from edgedp.exact.quality import relative_error as relative_error
from edgedp.exact.quality import true_top as true_top

__all__ = ["c_metric", "coverage", "dominated_chance", "limit", "recall", "relative_error", "true_top"]
