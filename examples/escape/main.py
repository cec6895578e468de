"""Tries what no analysis may do, and reports what became of it. Every line has to say: refused."""

import json
import os
import signal
import socket
import urllib.request

from flame.star import StarAggregator, StarAnalyzer, StarModel


def connect(host, port):
    socket.create_connection((host, port), timeout=2).close()


def write(path):
    with open(path, "w") as file:
        file.write("x")


def fill_tmp():
    with open("/tmp/full", "wb") as file:
        for _ in range(8192):
            file.write(b"x" * 1024 * 1024)


def signal_others():
    others = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    for process in others:
        if process not in (1, os.getpid(), os.getppid()):
            os.kill(process, signal.SIGTERM)
            return
    raise ProcessLookupError("no process of others is visible")


ATTEMPTS = {
    "reach the internet": lambda: connect("192.0.2.1", 443),
    "reach the host": lambda: connect("127.0.0.1", 3000),
    "ask the gateway for what it does not offer": lambda: urllib.request.urlopen(
        f"http://nginx-{os.environ['DEPLOYMENT_NAME']}/core/nodes", timeout=5
    ),
    "write outside of /tmp": lambda: write("/opt/code/main.py"),
    "read the passwords of the host": lambda: open("/etc/shadow").read(),
    "become root": lambda: os.setuid(0),
    "signal other processes": signal_others,
    "fill /tmp without a limit": fill_tmp,
}


def outcome(attempt):
    try:
        attempt()
        return "done"
    except Exception as error:
        return f"refused: {type(error).__name__}"


class Escape(StarAnalyzer):
    def analysis_method(self, data, aggregator_results):
        return {name: outcome(attempt) for name, attempt in ATTEMPTS.items()}


class Report(StarAggregator):
    def aggregation_method(self, analysis_results):
        return json.dumps(
            {
                name: sorted({result[name].split(":")[0] for result in analysis_results})
                for name in ATTEMPTS
            }
        )


StarModel(Escape, Report, data_type="s3", query="patients.csv")
