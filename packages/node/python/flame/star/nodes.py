"""The two kinds of nodes of a star. An analysis overrides their methods."""

from typing import Any, List, Tuple


class Node:
    """What both kinds know of their node."""

    def __init__(self, flame: Any) -> None:
        self.flame = flame
        self.id = flame.get_id()
        self.role = flame.get_role()
        self.partner_node_ids = flame.get_participant_ids()
        self.finished = False
        self.num_iterations = 0
        self.latest_result: Any = None

    def node_finished(self) -> bool:
        """Ends the work of this node."""
        self.finished = True
        return self.finished


class StarAnalyzer(Node):
    """Computes at a node with data. Override `analysis_method`."""

    def analysis_method(self, data: List[Any], aggregator_results: Any) -> Any:
        raise NotImplementedError("Override analysis_method")

    def analyze(self, data: List[Any]) -> Any:
        """One round, from what the aggregator made of the last one (`latest_result`)."""
        result = self.analysis_method(data, self.latest_result)
        self.num_iterations += 1
        return result


class StarAggregator(Node):
    """Combines the results of all nodes. Override `aggregation_method`, and `has_converged` for several rounds."""

    def aggregation_method(self, analysis_results: List[Any]) -> Any:
        raise NotImplementedError("Override aggregation_method")

    def has_converged(self, result: Any, last_result: Any) -> bool:
        raise NotImplementedError("Override has_converged, or use simple_analysis")

    def aggregate(self, node_results: List[Any], simple_analysis: bool = True) -> Tuple[Any, bool]:
        """The result of a round, and whether that was the last one. Of several rounds, the first never is."""
        result = self.aggregation_method(node_results)
        has_ended = simple_analysis or bool(self.has_converged(result, self.latest_result))
        is_last = has_ended and (simple_analysis or self.num_iterations > 0)
        self.latest_result = result
        self.num_iterations += 1
        return result, is_last
