"""What analyses are tried with, where there is no node."""

from .mock_flame_core import HUB_LOG_LITERALS, IterationTracker, MockConfig, MockFlameCoreSDK

__all__ = ["HUB_LOG_LITERALS", "IterationTracker", "MockConfig", "MockFlameCoreSDK"]
