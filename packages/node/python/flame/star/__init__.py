"""The star: nodes with data compute, an aggregator combines, and both repeat until the result is good enough."""

from .local_dp import StarLocalDPModel
from .model import StarModel
from .nodes import StarAggregator, StarAnalyzer
from .tester import StarModelTester

__all__ = ["StarAggregator", "StarAnalyzer", "StarLocalDPModel", "StarModel", "StarModelTester"]
