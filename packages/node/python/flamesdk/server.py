"""The HTTP server of the analysis, through which its node reaches it."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict

PORT = 8000
MAX_BYTES = 64 * 1024 * 1024

Route = Callable[[Dict[str, Any]], Dict[str, Any]]


def start_server(routes: Dict[str, Route]) -> None:
    """Serves `routes`, by method and path, in a thread that ends with the process."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer("GET")

        def do_POST(self) -> None:
            self._answer("POST")

        def _answer(self, method: str) -> None:
            route = routes.get(f"{method} {self.path.split('?')[0]}")
            if route is None:
                self._send(404, {"detail": "no such route"})
                return
            try:
                self._send(200, route(self._content()))
            except Exception as error:
                self._send(400, {"detail": f"{type(error).__name__}: {error}"})

        def _content(self) -> Dict[str, Any]:
            length = int(self.headers.get("Content-Length") or 0)
            if length > MAX_BYTES:
                raise ValueError("the body is too large")
            return json.loads(self.rfile.read(length)) if length else {}

        def _send(self, status: int, content: Dict[str, Any]) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("0.0.0.0", PORT), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True, name="server").start()
