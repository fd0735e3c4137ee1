"""Begins the Python processes of the tests' executors as Spark does, but all with what they would import one by one."""

from __future__ import annotations

import gc

import pandas  # noqa: F401
import pyarrow  # noqa: F401
import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

import edgedp.spark.drawing  # noqa: F401

if __name__ == "__main__":
    gc.freeze()  # each looks for garbage after every task, a hundredth of a second among all that was imported
    manager()
