"""The model of a star, which runs as soon as it is made."""

from typing import Any, Dict, List, Optional, Type, Union

from flame.star.nodes import StarAggregator, StarAnalyzer
from flame.utils import MockFlameCoreSDK
from flamesdk import FlameCoreSDK

RESULTS = "analyzer_results"
AGGREGATE = "aggregated_results"


class StarModel:
    """Runs an analysis: at a node with data as analyzer, else as aggregator."""

    def __init__(
        self,
        analyzer: Type[StarAnalyzer],
        aggregator: Type[StarAggregator],
        data_type: str,
        query: Union[str, List[str], None] = None,
        simple_analysis: bool = True,
        output_type: Union[str, List[str]] = "str",
        multiple_results: bool = False,
        analyzer_kwargs: Optional[Dict[str, Any]] = None,
        aggregator_kwargs: Optional[Dict[str, Any]] = None,
        test_mode: bool = False,
        test_kwargs: Optional[Dict[str, Any]] = None,
    ) -> None:
        self._simple = simple_analysis
        self._output = {"output_type": output_type, "multiple_results": multiple_results}
        self._classes = (analyzer, analyzer_kwargs or {}), (aggregator, aggregator_kwargs or {})
        if test_mode:
            self._test(test_kwargs or {})
            return
        self.flame = FlameCoreSDK()
        if self.flame.get_role() == "aggregator":
            self._aggregate(aggregator(flame=self.flame, **(aggregator_kwargs or {})))
        else:
            data = self._load(data_type, query)
            self._analyze(analyzer(flame=self.flame, **(analyzer_kwargs or {})), data)
        self.flame.wait_until_finished()

    def _load(self, data_type: str, query: Union[str, List[str], None]) -> Optional[List[Any]]:
        """Files, unless the data are those of a FHIR server; nothing without a query."""
        queries = [query] if isinstance(query, str) else query
        if data_type == "fhir":
            return self.flame.get_fhir_data(queries)
        return self.flame.get_s3_data(queries)

    def _analyze(self, analyzer: StarAnalyzer, data: List[Any]) -> None:
        aggregator = self.flame.get_aggregator_id()
        self.flame.ready_check([aggregator], attempt_interval=2)
        while True:
            own = analyzer.analyze(data)
            self.flame.flame_log(f"Round {analyzer.num_iterations} is computed")
            self.flame.send_intermediate_data([aggregator], own, RESULTS, max_attempts=5)
            if self._simple:
                analyzer.node_finished()
                return
            received = self.flame.await_intermediate_data([aggregator], AGGREGATE)
            analyzer.latest_result = received[aggregator]

    def _aggregate(self, aggregator: StarAggregator) -> None:
        nodes = self.flame.get_participant_ids()
        self.flame.ready_check(nodes, attempt_interval=2)
        while True:
            results = self.flame.await_intermediate_data(nodes, RESULTS)
            result, is_last = aggregator.aggregate([results[node] for node in nodes], self._simple)
            self.flame.flame_log(f"Round {aggregator.num_iterations} is aggregated")
            if is_last:
                break
            self.flame.send_intermediate_data(nodes, result, AGGREGATE, max_attempts=5)
        self._submit(result)
        aggregator.node_finished()
        self.flame.analysis_finished()

    def _submit(self, result: Any) -> None:
        self.flame.submit_final_result(result, **self._output)

    def _test(self, kwargs: Dict[str, Any]) -> None:
        """One node, described by `test_kwargs`, or all of them in this process: the data of each node by its name."""
        if "node_id" in kwargs:
            self._test_node(kwargs)
            return
        analyzer, aggregator = self._classes
        self.result = run_rounds(analyzer, aggregator, kwargs, self._simple)
        print(self.result)

    def _test_node(self, kwargs: Dict[str, Any]) -> None:
        self.flame = MockFlameCoreSDK(kwargs)
        if self.flame.get_role() == "aggregator":
            raise ValueError("An aggregator has nothing to combine without the others: use StarModelTester")
        analyzer, analyzer_kwargs = self._classes[0]
        node = analyzer(flame=self.flame, **analyzer_kwargs)
        self.result = node.analyze(kwargs.get("fhir_data", kwargs.get("s3_data")))
        print(self.result)


def run_rounds(analyzer: Any, aggregator: Any, data: Dict[str, Any], simple: bool) -> Any:
    """Runs all nodes in this process, one after the other. `data` has that of each node by its name."""
    (analyzer_class, analyzer_kwargs), (aggregator_class, aggregator_kwargs) = analyzer, aggregator
    roles = {**{name: "default" for name in data}, "aggregator": "aggregator"}

    def flame_of(name: str) -> MockFlameCoreSDK:
        return MockFlameCoreSDK(
            {
                "node_id": name,
                "aggregator_id": "aggregator",
                "role": roles[name],
                "participants": [
                    {"nodeId": other, "nodeType": role} for other, role in roles.items() if other != name
                ],
                "s3_data": data.get(name, []),
            }
        )

    nodes = {name: analyzer_class(flame=flame_of(name), **analyzer_kwargs) for name in data}
    combining = aggregator_class(flame=flame_of("aggregator"), **aggregator_kwargs)
    while True:
        results = [node.analyze(data[name]) for name, node in nodes.items()]
        result, is_last = combining.aggregate(results, simple)
        if is_last:
            return result
        for node in nodes.values():
            node.latest_result = result
