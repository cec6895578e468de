"""Levels of log lines, and the states of an analysis."""

from enum import Enum

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


class LogTypeLiteral(Enum):
    DEBUG = "debug"
    INFO = "info"
    NOTICE = "notice"
    WARN = "warn"
    ALERT = "alert"
    EMERG = "emerg"
    ERROR = "error"
    CRIT = "crit"
