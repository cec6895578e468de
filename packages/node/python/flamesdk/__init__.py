"""The interface of an analysis to its node."""

from .core import FlameCoreSDK
from .log import LogTypeLiteral
from .message import Message

__all__ = ["FlameCoreSDK", "LogTypeLiteral", "Message"]
