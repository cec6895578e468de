"""Waits for what the hub does after it has answered."""

import time

LIMIT_SECONDS = 120


def eventually(ask):
    """The first answer that is not empty."""
    end = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < end:
        found = ask()
        if found:
            return found
        time.sleep(0.05)
    raise TimeoutError(f"It did not come about within {LIMIT_SECONDS} s")
