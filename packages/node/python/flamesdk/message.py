"""Messages between the containers of an analysis."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Dict, List

Body = Dict[str, Any]


def now() -> str:
    return datetime.now(timezone.utc).isoformat()


@dataclass
class Message:
    """A message; `body` is the dict of the sender with its `meta`."""

    body: Body
    recipients: List[str]

    @property
    def meta(self) -> Body:
        return self.body["meta"]

    @classmethod
    def outgoing(
        cls, recipients: List[str], category: str, content: Body, sender: str, number: int
    ) -> "Message":
        if "meta" in content:
            raise ValueError('A message has no own "meta": choose another name')
        meta = {
            "type": "outgoing",
            "category": category,
            "id": f"{sender}-{number}-{uuid.uuid4()}",
            "akn_id": None,
            "status": "unread",
            "sender": sender,
            "created_at": now(),
            "arrived_at": None,
            "number": number,
        }
        return cls(body={**content, "meta": meta}, recipients=recipients)

    @classmethod
    def incoming(cls, body: Body, recipient: str) -> "Message":
        meta = {**body["meta"], "type": "incoming", "status": "unread", "arrived_at": now()}
        return cls(body={**body, "meta": meta}, recipients=[recipient])
