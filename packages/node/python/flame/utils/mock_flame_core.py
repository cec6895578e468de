"""Stands for the interface of a node where there is none."""

import uuid
from typing import Any, Dict, List, Optional, Tuple, Union

from flamesdk.data_sources import fhir_to_csv
from flamesdk.log import LogTypeLiteral as HUB_LOG_LITERALS
from flamesdk.message import Body, Message

REQUIRED = ("node_id", "aggregator_id", "role", "participants")
DATA = ("fhir_data", "s3_data")


class MockConfig:
    """The node that `test_kwargs` describe."""

    def __init__(self, test_kwargs: Dict[str, Any]) -> None:
        self.node_id = test_kwargs["node_id"]
        self.node_role = test_kwargs["role"]
        self.aggregator_id = test_kwargs["aggregator_id"]
        self.participants = test_kwargs["participants"]
        self.analysis_id = test_kwargs.get("analysis_id", "analysis")
        self.project_id = test_kwargs.get("project_id", "project")


class IterationTracker:
    """Counts rounds."""

    def __init__(self) -> None:
        self._iterations = 0

    def increment(self) -> None:
        self._iterations += 1

    def get_iterations(self) -> int:
        return self._iterations


class MockFlameCoreSDK:
    """
    One node of a test. It has the data and the partners that it was made with, keeps in memory what is saved, and
    prints its log. Nobody answers its messages.
    """

    def __init__(self, test_kwargs: Dict[str, Any]) -> None:
        self.sanity_check(test_kwargs)
        self.config = MockConfig(test_kwargs)
        self.final_results: List[Any] = []
        self._fhir_data = test_kwargs.get("fhir_data")
        self._s3_data = test_kwargs.get("s3_data")
        self._saved: Dict[str, Tuple[Any, Optional[str]]] = {}
        self._progress = 0
        self._log_types = {one.value for one in HUB_LOG_LITERALS} | {"normal"}
        self._line = ""

    def sanity_check(self, test_kwargs: Dict[str, Any]) -> None:
        missing = [name for name in REQUIRED if name not in test_kwargs]
        if missing:
            raise ValueError(f"test_kwargs lack {', '.join(missing)}")
        if not any(name in test_kwargs for name in DATA):
            raise ValueError(f"test_kwargs need data: {' or '.join(DATA)}")

    # Who takes part

    def get_aggregator_id(self) -> Optional[str]:
        return self.config.aggregator_id

    def get_participants(self) -> List[Dict[str, str]]:
        return self.config.participants

    def get_participant_ids(self) -> List[str]:
        return [one.get("nodeId", one.get("id")) for one in self.config.participants]

    def get_analysis_id(self) -> str:
        return self.config.analysis_id

    def get_project_id(self) -> str:
        return self.config.project_id

    def get_id(self) -> str:
        return self.config.node_id

    def get_role(self) -> str:
        return self.config.node_role

    # The state and the log of the analysis

    def analysis_finished(self) -> bool:
        self._progress = 100
        return True

    def ready_check(
        self,
        nodes: Union[List[str], str] = "all",
        attempt_interval: int = 30,
        timeout: Optional[int] = None,
    ) -> Dict[str, bool]:
        wanted = self.get_participant_ids() if nodes == "all" else list(nodes)
        return {node: True for node in wanted}

    def flame_log(
        self,
        msg: Any,
        sep: str = " ",
        end: str = "\n",
        file: Any = None,
        log_type: str = "normal",
        suppress_head: bool = False,
        halt_submission: bool = False,
    ) -> None:
        if log_type not in self._log_types:
            raise ValueError(f'"{log_type}" is not a type of log lines')
        text = sep.join(map(str, msg)) if isinstance(msg, (list, tuple)) else str(msg)
        print(text if suppress_head else f"{self.get_id()}: {text}", end=end, file=file, flush=True)

    def declare_log_types(self, new_log_types: Union[Dict[str, str], List[str]]) -> None:
        """Lets `flame_log` take further types."""
        self._log_types |= set(new_log_types)

    def get_progress(self) -> int:
        return self._progress

    def set_progress(self, progress: Union[int, float]) -> None:
        if not 0 <= progress <= 100:
            raise ValueError("The progress is between 0 and 100")
        self._progress = int(progress)

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
        recipients = [receivers] if isinstance(receivers, str) else list(receivers)
        Message.outgoing(recipients, message_category, message, self.get_id(), 1)
        return recipients, []

    def await_messages(
        self,
        senders: List[str],
        message_category: str,
        message_id: Optional[str] = None,
        timeout: Optional[int] = None,
    ) -> Dict[str, Optional[List[Message]]]:
        return {sender: None for sender in senders}

    def get_messages(self, status: str = "unread") -> List[Message]:
        return []

    def delete_messages(self, message_ids: List[str]) -> int:
        return 0

    def clear_messages(self, status: str = "read", min_age: Optional[float] = None) -> int:
        return 0

    def send_message_and_wait_for_responses(
        self,
        receivers: Union[List[str], str],
        message_category: str,
        message: Body,
        max_attempts: int = 1,
        timeout: Optional[int] = None,
        attempt_timeout: float = 10,
    ) -> Dict[str, Optional[List[Message]]]:
        sent, _ = self.send_message(receivers, message_category, message)
        return self.await_messages(sent, message_category)

    # Results and intermediate data

    def submit_final_result(
        self,
        result: Any,
        output_type: Union[str, List[str]] = "str",
        multiple_results: bool = False,
        local_dp: Optional[Dict[str, float]] = None,
    ) -> Any:
        self.final_results += list(result) if multiple_results else [result]
        return {"status": "success"}

    def save_intermediate_data(
        self,
        data: Any,
        location: str,
        remote_node_ids: Union[List[str], str, None] = None,
        tag: Optional[str] = None,
    ) -> Dict[str, Any]:
        identity = str(uuid.uuid4())
        self._saved[identity] = (data, tag)
        saved = {"status": "success", "url": f"/storage/{location}/{identity}", "id": identity}
        if location != "global" or remote_node_ids is None:
            return saved
        nodes = [remote_node_ids] if isinstance(remote_node_ids, str) else remote_node_ids
        return {node: saved for node in nodes}

    def get_intermediate_data(
        self,
        location: str,
        id: Union[str, List[str], None] = None,
        tag: Optional[str] = None,
        tag_option: str = "all",
        sender_node_id: Optional[str] = None,
    ) -> Any:
        if tag is not None:
            found = [data for data, one in self._saved.values() if one == tag]
            if tag_option == "all":
                return found
            return (found[0] if tag_option == "first" else found[-1]) if found else None
        if isinstance(id, list):
            return [self._saved[one][0] for one in id]
        if id is None:
            raise ValueError("Name the data by its id, or by a tag")
        return self._saved[id][0]

    def send_intermediate_data(
        self,
        receivers: Union[List[str], str],
        data: Any,
        message_category: str = "intermediate_data",
        max_attempts: int = 1,
        timeout: Optional[int] = None,
        attempt_timeout: float = 10,
        encrypted: bool = False,
    ) -> Tuple[List[str], List[str]]:
        return ([receivers] if isinstance(receivers, str) else list(receivers)), []

    def await_intermediate_data(
        self,
        senders: List[str],
        message_category: str = "intermediate_data",
        timeout: Optional[int] = None,
    ) -> Dict[str, Any]:
        return {sender: None for sender in senders}

    def get_local_tags(self, filter: Optional[str] = None) -> List[str]:
        tags = {tag for _, tag in self._saved.values() if tag is not None}
        return sorted(tag for tag in tags if filter is None or filter in tag)

    # Data sources

    def get_data_client(self, data_id: str) -> None:
        return None

    def get_data_sources(self) -> List[Dict[str, Any]]:
        return []

    def get_fhir_data(self, fhir_queries: Optional[List[str]] = None) -> Any:
        return self._fhir_data

    def get_s3_data(self, s3_keys: Optional[List[str]] = None) -> Any:
        return self._s3_data

    fhir_to_csv = staticmethod(fhir_to_csv)
