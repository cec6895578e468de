"""The star: nodes with data compute, an aggregator combines, and both repeat until the result is good enough."""

from typing import Any, Dict, List, Optional, Type, Union

from flamesdk import FlameCoreSDK

RESULTS = "analyzer_results"
AGGREGATE = "aggregated_results"


class StarAnalyzer:
    """Computes at a node with data. Override `analysis_method`."""

    def __init__(self, flame: Any) -> None:
        self.flame = flame
        self.id = flame.get_id()
        self.num_iterations = 0
        self.latest_result: Any = None

    def analysis_method(self, data: List[Any], aggregator_results: Any) -> Any:
        raise NotImplementedError("Override analysis_method")

    def analyze(self, data: List[Any], aggregator_results: Any) -> Any:
        self.latest_result = self.analysis_method(data, aggregator_results)
        self.num_iterations += 1
        return self.latest_result


class StarAggregator:
    """Combines the results of all nodes. Override `aggregation_method`, and `has_converged` for several rounds."""

    def __init__(self, flame: Any) -> None:
        self.flame = flame
        self.id = flame.get_id()
        self.num_iterations = 0
        self.latest_result: Any = None

    def aggregation_method(self, analysis_results: List[Any]) -> Any:
        raise NotImplementedError("Override aggregation_method")

    def has_converged(self, result: Any, last_result: Any) -> bool:
        raise NotImplementedError("Override has_converged, or use simple_analysis")

    def aggregate(self, results: List[Any], simple: bool) -> bool:
        """Whether the last round is done."""
        last = self.latest_result
        self.latest_result = self.aggregation_method(results)
        self.num_iterations += 1
        return simple or self.has_converged(self.latest_result, last)


class StarModel:
    """Runs an analysis as soon as it is made: at a node with data as analyzer, else as aggregator."""

    def __init__(
        self,
        analyzer: Type[StarAnalyzer],
        aggregator: Type[StarAggregator],
        data_type: str = "fhir",
        query: Union[str, List[str], None] = None,
        simple_analysis: bool = True,
        output_type: Union[str, List[str]] = "str",
        multiple_results: bool = False,
        analyzer_kwargs: Optional[Dict[str, Any]] = None,
        aggregator_kwargs: Optional[Dict[str, Any]] = None,
        test_mode: bool = False,
        test_kwargs: Optional[Dict[str, Any]] = None,
    ) -> None:
        if data_type not in ("fhir", "s3"):
            raise ValueError('The data type is "fhir" or "s3"')
        self._simple = simple_analysis
        self._output = {"output_type": output_type, "multiple_results": multiple_results}
        if test_mode:
            self._test(analyzer, aggregator, analyzer_kwargs, aggregator_kwargs, test_kwargs or {})
            return
        self.flame = FlameCoreSDK()
        if self.flame.get_role() == "aggregator":
            self._aggregate(aggregator(flame=self.flame, **(aggregator_kwargs or {})))
        else:
            data = self._load(data_type, query)
            self._analyze(analyzer(flame=self.flame, **(analyzer_kwargs or {})), data)
        self.flame.wait_until_finished()

    def _load(self, data_type: str, query: Union[str, List[str], None]) -> List[Any]:
        queries = [query] if isinstance(query, str) else query
        if data_type == "s3":
            return self.flame.get_s3_data(queries)
        return self.flame.get_fhir_data(queries)

    def _analyze(self, analyzer: StarAnalyzer, data: List[Any]) -> None:
        aggregator = self.flame.get_aggregator_id()
        self.flame.ready_check([aggregator], attempt_interval=2)
        result = None
        while True:
            own = analyzer.analyze(data, result)
            self.flame.flame_log(f"Round {analyzer.num_iterations} is computed")
            self.flame.send_intermediate_data([aggregator], own, RESULTS, max_attempts=5)
            if self._simple:
                return
            result = self.flame.await_intermediate_data([aggregator], AGGREGATE)[aggregator]

    def _aggregate(self, aggregator: StarAggregator) -> None:
        nodes = self.flame.get_participant_ids()
        self.flame.ready_check(nodes, attempt_interval=2)
        while True:
            results = self.flame.await_intermediate_data(nodes, RESULTS)
            is_last = aggregator.aggregate([results[node] for node in nodes], self._simple)
            self.flame.flame_log(f"Round {aggregator.num_iterations} is aggregated")
            if is_last:
                break
            self.flame.send_intermediate_data(nodes, aggregator.latest_result, AGGREGATE, max_attempts=5)
        self.flame.submit_final_result(aggregator.latest_result, **self._output)
        self.flame.analysis_finished()

    def _test(
        self,
        analyzer: Type[StarAnalyzer],
        aggregator: Type[StarAggregator],
        analyzer_kwargs: Optional[Dict[str, Any]],
        aggregator_kwargs: Optional[Dict[str, Any]],
        nodes: Dict[str, List[Any]],
    ) -> None:
        """Runs all nodes in this process. `test_kwargs` has the data of each node by its name."""
        analyzers = [
            (analyzer(flame=_TestNode(name), **(analyzer_kwargs or {})), data)
            for name, data in nodes.items()
        ]
        combining = aggregator(flame=_TestNode("aggregator"), **(aggregator_kwargs or {}))
        is_last = False
        while not is_last:
            last = combining.latest_result
            results = [one.analyze(data, last) for one, data in analyzers]
            is_last = combining.aggregate(results, self._simple)
        self.result = combining.latest_result
        print(self.result)


class _TestNode:
    """Stands for the interface of a node where there is none."""

    def __init__(self, name: str) -> None:
        self._name = name

    def get_id(self) -> str:
        return self._name

    def flame_log(self, msg: Any, **_: Any) -> None:
        print(msg)
