"""Levels of log lines."""

from typing import Literal

LogTypeLiteral = Literal[
    "debug", "info", "notice", "warn", "alert", "emerg", "error", "crit"
]

LEVELS = {
    "debug": 10,
    "info": 20,
    "notice": 25,
    "warn": 30,
    "alert": 33,
    "emerg": 36,
    "error": 40,
    "crit": 50,
}
