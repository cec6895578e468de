"""Requests to the gateway of the node, the only address that a container reaches."""

import http.client
import json
import os
import time
import uuid
from typing import Any, Dict, Optional, Tuple

TIMEOUT_SECONDS = 900
ATTEMPTS = 5


class GatewayError(Exception):
    """The node answered with an error status."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(f"The node answered with {status}: {detail}")
        self.status = status


class Gateway:
    """Sends requests with the tokens of the analysis."""

    def __init__(self) -> None:
        self._host = f"nginx-{os.environ['DEPLOYMENT_NAME']}"
        self.token = os.environ["KEYCLOAK_TOKEN"]
        self._data_token = os.environ["DATA_SOURCE_TOKEN"]

    def json(self, method: str, path: str, content: Any = None) -> Any:
        body = None if content is None else json.dumps(content).encode()
        answer = self.bytes(method, path, body, {"Content-Type": "application/json"})
        return json.loads(answer) if answer else None

    def upload(self, path: str, content: bytes, name: str, fields: Dict[str, str]) -> Any:
        body, content_type = _multipart(content, name, fields)
        answer = self.bytes("PUT", path, body, {"Content-Type": content_type})
        return json.loads(answer) if answer else None

    def data(self, path: str) -> bytes:
        """Reads from a data source."""
        return self.bytes("GET", path, None, {"apikey": self._data_token})

    def bytes(
        self, method: str, path: str, body: Optional[bytes], headers: Dict[str, str]
    ) -> bytes:
        """Sends a request. A connection that fails is tried again, since the node may be starting."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._send(method, path, body, headers)
            except (ConnectionError, http.client.HTTPException, OSError):
                if attempt == ATTEMPTS:
                    raise
                time.sleep(0.25 * attempt)
        raise AssertionError("not reached")

    def _send(
        self, method: str, path: str, body: Optional[bytes], headers: Dict[str, str]
    ) -> bytes:
        connection = http.client.HTTPConnection(self._host, 80, timeout=TIMEOUT_SECONDS)
        try:
            authorization = {"Authorization": f"Bearer {self.token}"}
            connection.request(method, path, body, {**authorization, **headers})
            response = connection.getresponse()
            answer = response.read()
            if response.status >= 400:
                raise GatewayError(response.status, answer.decode("utf-8", "replace")[:500])
            return answer
        finally:
            connection.close()


def _multipart(content: bytes, name: str, fields: Dict[str, str]) -> Tuple[bytes, str]:
    boundary = uuid.uuid4().hex
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
        for field, value in fields.items()
    ]
    safe = name.replace('"', "%22").replace("\r", "").replace("\n", "")
    parts.append(
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{safe}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n".encode()
    )
    parts += [content, f"\r\n--{boundary}--\r\n".encode()]
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"
