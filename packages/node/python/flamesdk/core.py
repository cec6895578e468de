"""The interface of an analysis to its node."""

import base64
import json
import math
import os
import sys
import threading
import time
from typing import Any, Dict, List, Optional, Tuple, Union

from .data_sources import DataClient, DataSources, fhir_to_csv
from .gateway import Gateway
from .log import LEVELS, LogTypeLiteral
from .mailbox import Mailbox
from .message import Body, Message
from .serialization import dump, load, noisy, numbered, result_bytes
from .server import start_server

FINISHED = "analysis_finished"
READY = "ready_check"
FINAL = ("executed", "stopped", "failed")
END_WAIT_SECONDS = 60


class FlameCoreSDK:
    """One per process: it answers the node in a thread while the analysis runs in the main one."""

    def __init__(
        self,
        aggregator_requires_data: bool = False,
        stream_log_level: int = 20,
        silent: bool = False,
        status_sync: Tuple[str, ...] = FINAL,
    ) -> None:
        self._analysis_id = os.environ["ANALYSIS_ID"]
        self._project_id = os.environ["PROJECT_ID"]
        self._level = stream_log_level
        self._silent = silent
        self._status_sync = status_sync
        self._status = "starting"
        self._progress = 0
        self._finished = threading.Event()
        self._partners: Dict[str, str] = {}
        self._numbers = iter(range(1, sys.maxsize))
        self._number_lock = threading.Lock()
        self._line = ""
        self._mailbox = Mailbox()
        self._gateway = Gateway()
        self._connect()
        self._data = DataSources(self._gateway, self._project_id)
        if aggregator_requires_data or self.get_role() != "aggregator":
            self._data.all()
        self._status = "executing"
        sys.excepthook = self._fail

    # Who takes part

    def get_id(self) -> str:
        return self._self["nodeId"]

    def get_role(self) -> str:
        return self._self["nodeType"]

    def get_analysis_id(self) -> str:
        return self._analysis_id

    def get_project_id(self) -> str:
        return self._project_id

    def get_participants(self) -> List[Dict[str, str]]:
        """The other nodes of the analysis."""
        return [one for one in self._participants if one["nodeId"] != self.get_id()]

    def get_participant_ids(self) -> List[str]:
        return [one["nodeId"] for one in self.get_participants()]

    def get_aggregator_id(self) -> Optional[str]:
        for one in self._participants:
            if one["nodeType"] == "aggregator":
                return one["nodeId"]
        return None

    # The state of the analysis

    def get_progress(self) -> int:
        return self._progress

    def set_progress(self, progress: Union[int, float]) -> None:
        if not 0 <= progress <= 100:
            raise ValueError("The progress is between 0 and 100")
        self._progress = int(progress)

    def ready_check(
        self,
        nodes: Union[List[str], str] = "all",
        attempt_interval: int = 30,
        timeout: Optional[int] = None,
    ) -> Dict[str, bool]:
        """Greets nodes until each has answered, or the timeout has passed."""
        wanted = self.get_participant_ids() if nodes == "all" else list(nodes)
        end = None if timeout is None else time.monotonic() + timeout
        ready = {node: False for node in wanted}
        while not all(ready.values()) and (end is None or time.monotonic() < end):
            missing = [node for node, is_ready in ready.items() if not is_ready]
            wait = attempt_interval if end is None else min(attempt_interval, end - time.monotonic())
            answered, _ = self.send_message(missing, READY, {}, attempt_timeout=max(wait, 0))
            ready.update({node: True for node in answered})
        return ready

    def analysis_finished(self) -> bool:
        """Ends the analysis here and at all other nodes."""
        _, missing = self.send_message(
            self.get_participant_ids(), FINISHED, {}, max_attempts=5, attempt_timeout=10
        )
        self._end("executed")
        return not missing

    # Logs

    def flame_log(
        self,
        msg: Any,
        sep: str = "",
        end: str = "",
        log_type: str = "info",
        append: bool = False,
        halt_submission: bool = False,
    ) -> None:
        text = sep.join(map(str, msg)) if isinstance(msg, (list, tuple)) else str(msg)
        kind = log_type.value if isinstance(log_type, LogTypeLiteral) else log_type
        self._line = (self._line if append or self._line else "") + text + end
        if halt_submission:
            return
        line, self._line = self._line, ""
        if not self._silent:
            print(line, flush=True)
        if LEVELS.get(kind, LEVELS["info"]) >= self._level:
            self._stream(line, kind)

    # Messages

    def send_message(
        self,
        receivers: Union[List[str], str],
        message_category: str,
        message: Body,
        max_attempts: int = 1,
        timeout: Optional[int] = None,
        attempt_timeout: float = 10,
    ) -> Tuple[List[str], List[str]]:
        """Returns who acknowledged the message, and who did not."""
        recipients = [receivers] if isinstance(receivers, str) else list(receivers)
        sent = self._outgoing(recipients, message_category, message)
        end = None if timeout is None else time.monotonic() + timeout
        missing = recipients
        for _ in range(max_attempts):
            left = attempt_timeout if end is None else min(attempt_timeout, end - time.monotonic())
            if not missing or left < 0:
                break
            self._post(missing, sent.body)
            self._mailbox.wait_for_acknowledgements(sent.meta["id"], missing, left)
            answered = self._mailbox.acknowledged_by(sent.meta["id"])
            missing = [node for node in recipients if node not in answered]
        return [node for node in recipients if node not in missing], missing

    def await_messages(
        self,
        senders: List[str],
        message_category: str,
        message_id: Optional[str] = None,
        timeout: Optional[int] = None,
    ) -> Dict[str, Optional[List[Message]]]:
        return self._mailbox.wait_for(senders, message_category, message_id, timeout)

    def send_message_and_wait_for_responses(
        self,
        receivers: Union[List[str], str],
        message_category: str,
        message: Body,
        max_attempts: int = 1,
        timeout: Optional[int] = None,
        attempt_timeout: float = 10,
    ) -> Dict[str, Optional[List[Message]]]:
        """Sends a message, and waits for one of the same category from each receiver."""
        recipients = [receivers] if isinstance(receivers, str) else list(receivers)
        started = time.monotonic()
        self.send_message(
            recipients, message_category, message, max_attempts, timeout, attempt_timeout
        )
        left = None if timeout is None else max(0, timeout - (time.monotonic() - started))
        return self._mailbox.wait_for(recipients, message_category, None, left)

    def get_messages(self, status: str = "unread") -> List[Message]:
        return self._mailbox.messages(status)

    def delete_messages(self, message_ids: List[str]) -> int:
        return self._mailbox.delete(message_ids)

    def clear_messages(self, status: str = "read", min_age: Optional[float] = None) -> int:
        return self._mailbox.clear(status, min_age)

    # Results and intermediate data

    def submit_final_result(
        self,
        result: Any,
        output_type: Union[str, List[str]] = "str",
        multiple_results: bool = False,
        filename: Union[str, List[str], None] = None,
        local_dp: Optional[Dict[str, float]] = None,
    ) -> Any:
        """Stores the result at the hub; several of them, each in a file of its own, with `multiple_results`."""
        results = list(result) if multiple_results else [result]
        types = output_type if isinstance(output_type, list) else [output_type] * len(results)
        names = filename if isinstance(filename, list) else numbered(filename or "result.txt", len(results))
        answers = [
            self._gateway.upload("/storage/final", result_bytes(noisy(one, local_dp), kind), name, {})
            for one, kind, name in zip(results, types, names)
        ]
        return answers if multiple_results else answers[0]

    def save_intermediate_data(
        self,
        data: Any,
        location: str,
        remote_node_ids: Union[List[str], str, None] = None,
        tag: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Stores data at this node (`local`), or at the hub, sealed (`global`): for some nodes, or for all."""
        content = dump(data)
        if location == "local":
            fields = {} if tag is None else {"tag": tag}
            return _saved(self._gateway.upload("/storage/local", content, "data", fields))
        if location != "global":
            raise ValueError('The location is "local" or "global"')
        if remote_node_ids is None:
            return _saved(self._gateway.upload("/storage/intermediate", content, "data", {}))
        nodes = [remote_node_ids] if isinstance(remote_node_ids, str) else remote_node_ids
        return {
            node: _saved(
                self._gateway.upload("/storage/intermediate", content, "data", {"remote_node_id": node})
            )
            for node in nodes
        }

    def get_intermediate_data(
        self,
        location: str,
        query: Union[str, List[str], None] = None,
        tag: Optional[str] = None,
        tag_option: str = "all",
    ) -> Any:
        """Data by its id or ids, or the local data with a tag: all of it, the first, or the last."""
        if tag is not None:
            return self._tagged(tag, tag_option)
        if isinstance(query, list):
            return [self._intermediate(location, one, None) for one in query]
        if query is None:
            raise ValueError("Name the data by its id, or by a tag")
        return self._intermediate(location, query, None)

    def send_intermediate_data(
        self,
        receivers: Union[List[str], str],
        data: Any,
        message_category: str = "intermediate_data",
        max_attempts: int = 1,
        timeout: Optional[int] = None,
        attempt_timeout: float = 10,
    ) -> Tuple[List[str], List[str]]:
        """Seals data for each receiver, and sends its id to it."""
        nodes = [receivers] if isinstance(receivers, str) else list(receivers)
        answered: List[str] = []
        missing: List[str] = []
        for node, saved in self.save_intermediate_data(data, "global", nodes).items():
            sent, unsent = self.send_message(
                [node], message_category, {"result_id": saved["id"]}, max_attempts, timeout, attempt_timeout
            )
            answered += sent
            missing += unsent
        return answered, missing

    def await_intermediate_data(
        self,
        senders: List[str],
        message_category: str = "intermediate_data",
        timeout: Optional[int] = None,
    ) -> Dict[str, Any]:
        received = self.await_messages(senders, message_category, timeout=timeout)
        return {
            sender: messages
            and self._intermediate("global", messages[-1].body["result_id"], sender)
            for sender, messages in received.items()
        }

    def get_local_tags(self, filter: Optional[str] = None) -> List[str]:
        path = "/storage/local/tags" + (f"?filter={filter}" if filter else "")
        return [one["name"] for one in self._gateway.json("GET", path)["results"]]

    # Data sources

    def get_data_sources(self) -> List[Dict[str, Any]]:
        return self._data.all()

    def get_data_client(self, data_id: str) -> DataClient:
        return self._data.client(data_id)

    def get_fhir_data(self, fhir_queries: Optional[List[str]] = []) -> Optional[List[Dict[str, Any]]]:
        """What each FHIR server answers to the queries; nothing for None."""
        return None if fhir_queries is None else self._data.fhir(fhir_queries)

    def get_s3_data(self, s3_keys: Optional[List[str]] = []) -> Optional[List[Dict[str, bytes]]]:
        """The files of each data source: with these names, all for an empty list, nothing for None."""
        return None if s3_keys is None else self._data.files(s3_keys)

    fhir_to_csv = staticmethod(fhir_to_csv)

    # The node calls these

    def _connect(self) -> None:
        start_server(
            {
                "POST /webhook": self._receive,
                "GET /healthz": lambda _: self._health(),
                "POST /token_refresh": self._renew_token,
                "POST /partner_status": self._take_partner_status,
            }
        )
        self._gateway.bytes("GET", "/healthz", None, {})
        prefix = f"/message-broker/analyses/{self._analysis_id}"
        self._self = self._gateway.json("GET", f"{prefix}/participants/self")
        self._participants = self._gateway.json("GET", f"{prefix}/participants")
        webhook = {"webhookUrl": f"http://{os.environ['DEPLOYMENT_NAME']}:8000/webhook"}
        self._gateway.json("POST", f"{prefix}/messages/subscriptions", webhook)

    def _receive(self, body: Body) -> Body:
        meta = body["meta"]
        if meta["akn_id"] is not None:
            self._mailbox.acknowledge(body)
            return {}
        if meta["category"] == FINISHED:
            threading.Timer(0.5, self._end, ["executed"]).start()
        elif meta["category"] != READY:
            self._mailbox.add(Message.incoming(body, self.get_id()))
        self._acknowledge(body)
        return {}

    def _acknowledge(self, body: Body) -> None:
        meta = {**body["meta"], "akn_id": self.get_id()}
        threading.Thread(
            target=self._post, args=([meta["sender"]], {"meta": meta}), daemon=True
        ).start()

    def _health(self) -> Body:
        return {"status": self._status, "token_remaining_time": self._token_seconds()}

    def _renew_token(self, body: Body) -> Body:
        self._gateway.token = body["token"]
        return {}

    def _take_partner_status(self, body: Body) -> Body:
        self._partners.update(body["partner_status"])
        ended = [status for status in self._partners.values() if status in self._status_sync]
        if "failed" in ended or "stopped" in ended:
            self._end("stopped")
        return {"status": self._status}

    # Parts

    def _end(self, status: str) -> None:
        """Sets the last status. The node ends the container then; until it does, its process waits."""
        if self._status in FINAL:
            return
        self._status = status
        if status == "executed":
            self._progress = 100
        self._stream(f"The analysis is {status} here", "info")
        self._finished.set()
        if threading.current_thread() is not threading.main_thread():
            threading.Timer(END_WAIT_SECONDS, os._exit, [0 if status == "executed" else 1]).start()

    def _fail(self, kind: Any, error: BaseException, trace: Any) -> None:
        sys.__excepthook__(kind, error, trace)
        if self._status not in FINAL:
            self._status = "failed"
            # Its message may show data: the node reads it from the error output, and knows its policy.
            self._stream(f"The analysis has failed here: {kind.__name__}", "warn")
        sys.stderr.flush()
        time.sleep(END_WAIT_SECONDS)

    def wait_until_finished(self) -> None:
        """Returns when the analysis has ended."""
        self._finished.wait()

    def _stream(self, line: str, log_type: str) -> None:
        report = {
            "log": line,
            "log_type": log_type,
            "analysis_id": self._analysis_id,
            "status": self._status,
            "progress": self._progress,
        }
        try:
            self._gateway.json("POST", "/po/stream_logs", report)
        except Exception as error:
            print(f"The log line was not sent: {error}", file=sys.stderr, flush=True)

    def _outgoing(self, recipients: List[str], category: str, content: Body) -> Message:
        with self._number_lock:
            number = next(self._numbers)
        return Message.outgoing(recipients, category, content, self.get_id(), number)

    def _post(self, recipients: List[str], body: Body) -> None:
        path = f"/message-broker/analyses/{self._analysis_id}/messages"
        self._gateway.json("POST", path, {"recipients": recipients, "message": body})

    def _intermediate(self, location: str, query: str, sender: Optional[str]) -> Any:
        identity = query.rstrip("/").rsplit("/", 1)[-1]
        if location == "local":
            path = f"/storage/local/{identity}"
        else:
            path = f"/storage/intermediate/{identity}" + (f"?remote_node_id={sender}" if sender else "")
        return load(self._gateway.bytes("GET", path, None, {}))

    def _tagged(self, tag: str, option: str) -> Any:
        found = self._gateway.json("GET", f"/storage/local/tags/{tag}")["results"]
        if option in ("first", "last"):
            found = found[:1] if option == "first" else found[-1:]
        data = [self._intermediate("local", one["url"], None) for one in found]
        return data if option == "all" else (data[0] if data else None)

    def _token_seconds(self) -> int:
        payload = self._gateway.token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return max(0, math.floor(claims["exp"] - time.time()))


def _saved(answer: Dict[str, Any]) -> Dict[str, Any]:
    """The id is the end of the address."""
    return {"status": "success", "url": answer["url"], "id": answer["url"].rsplit("/", 1)[-1]}
