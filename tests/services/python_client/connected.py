"""Connects to a hub on a busy machine: its answers are waited for longer than usual."""

import httpx2
from eventually import LIMIT_SECONDS


def connected(service, base_url, auth):
    # Those that log in do it with a client of their own.
    if hasattr(auth, "_client"):
        auth._client.timeout = LIMIT_SECONDS
    return service(client=httpx2.Client(base_url=base_url, auth=auth, timeout=LIMIT_SECONDS))
