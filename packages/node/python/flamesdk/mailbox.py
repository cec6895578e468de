"""What arrived, and which of the own messages were acknowledged."""

import threading
import time
from datetime import datetime, timezone
from typing import Callable, Dict, List, Optional, Set

from .message import Body, Message


class Mailbox:
    """Messages by sender and category. A message that arrives twice is stored once."""

    def __init__(self) -> None:
        self._changed = threading.Condition(threading.RLock())
        self._messages: List[Message] = []
        self._known: Set[str] = set()
        self._acknowledged: Dict[str, Set[str]] = {}

    def add(self, message: Message) -> None:
        with self._changed:
            if message.meta["id"] not in self._known:
                self._known.add(message.meta["id"])
                self._messages.append(message)
                self._changed.notify_all()

    def acknowledge(self, body: Body) -> None:
        """Records an own message that came back with the id of the node that received it."""
        meta = body["meta"]
        with self._changed:
            self._acknowledged.setdefault(meta["id"], set()).add(meta["akn_id"])
            self._changed.notify_all()

    def acknowledged_by(self, message_id: str) -> Set[str]:
        with self._changed:
            return set(self._acknowledged.get(message_id, set()))

    def wait_for_acknowledgements(
        self, message_id: str, recipients: List[str], timeout: Optional[float]
    ) -> None:
        wanted = set(recipients)
        self._wait(lambda: wanted <= self._acknowledged.get(message_id, set()), timeout)

    def wait_for(
        self,
        senders: List[str],
        category: str,
        message_id: Optional[str],
        timeout: Optional[float],
    ) -> Dict[str, Optional[List[Message]]]:
        """Waits until there is an unread message of each sender, and marks what it returns as read."""

        def unread(sender: str) -> List[Message]:
            return [
                message
                for message in self._messages
                if message.meta["sender"] == sender
                and message.meta["category"] == category
                and message.meta["status"] == "unread"
                and message_id in (None, message.meta["id"])
            ]

        with self._changed:
            self._wait(lambda: all(unread(sender) for sender in senders), timeout)
            found = {sender: unread(sender) or None for sender in senders}
            for messages in found.values():
                for message in messages or []:
                    message.meta["status"] = "read"
            return found

    def messages(self, status: str) -> List[Message]:
        with self._changed:
            return [message for message in self._messages if message.meta["status"] == status]

    def delete(self, ids: List[str]) -> int:
        return self._keep(lambda message: message.meta["id"] not in ids)

    def clear(self, status: Optional[str], min_age: Optional[float]) -> int:
        def is_old(message: Message) -> bool:
            if min_age is None:
                return True
            arrived = datetime.fromisoformat(message.meta["arrived_at"])
            return (datetime.now(timezone.utc) - arrived).total_seconds() >= min_age

        return self._keep(
            lambda message: not (
                status in (None, "all", message.meta["status"]) and is_old(message)
            )
        )

    def _keep(self, condition: Callable[[Message], bool]) -> int:
        with self._changed:
            before = len(self._messages)
            self._messages = [message for message in self._messages if condition(message)]
            return before - len(self._messages)

    def _wait(self, condition: Callable[[], bool], timeout: Optional[float]) -> None:
        end = None if timeout is None else time.monotonic() + timeout
        with self._changed:
            while not condition():
                left = None if end is None else end - time.monotonic()
                if left is not None and left <= 0:
                    return
                self._changed.wait(left)
