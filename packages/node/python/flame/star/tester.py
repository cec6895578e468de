"""Runs a star without nodes, to try its code."""

import os
from typing import Any, Dict, List, Optional, Type, Union

from flamesdk.serialization import noisy, numbered, result_bytes

from .model import run_rounds
from .nodes import StarAggregator, StarAnalyzer


class StarModelTester:
    """Runs an analyzer for each of `data_splits`, combines what they return, and writes the result to a file."""

    def __init__(
        self,
        data_splits: List[Any],
        analyzer: Type[StarAnalyzer],
        aggregator: Type[StarAggregator],
        data_type: str,
        node_roles: Optional[List[str]] = None,
        query: Union[str, List[str], None] = None,
        simple_analysis: bool = True,
        output_type: Union[str, List[str]] = "str",
        multiple_results: bool = False,
        analyzer_kwargs: Optional[Dict[str, Any]] = None,
        aggregator_kwargs: Optional[Dict[str, Any]] = None,
        epsilon: Optional[float] = None,
        sensitivity: Optional[float] = None,
        result_filepath: Optional[str] = None,
    ) -> None:
        roles = node_roles or ["default"] * len(data_splits)
        if len(roles) < len(data_splits):
            raise ValueError("Give each of data_splits a role")
        splits = [split for split, role in zip(data_splits, roles) if role != "aggregator"]
        for split in splits:
            self.test_input(split)
        self.result = run_rounds(
            (analyzer, analyzer_kwargs or {}),
            (aggregator, aggregator_kwargs or {}),
            {f"node-{number}": split for number, split in enumerate(splits, 1)},
            simple_analysis,
        )
        if epsilon is not None and sensitivity is not None:
            dp = {"epsilon": epsilon, "sensitivity": sensitivity}
            self.result = [noisy(one, dp) for one in self.result] if multiple_results else noisy(self.result, dp)
        self.write_result(self.result, output_type, result_filepath, multiple_results)

    @staticmethod
    def test_input(data: Any) -> None:
        """Says so if data do not have the form that they have at a node."""
        is_form = isinstance(data, list) and all(isinstance(source, dict) for source in data)
        if not is_form:
            print("At a node, data are a list with a dict for each data source: of the name of a file, or a query, to its content")

    @staticmethod
    def write_result(
        result: Any,
        output_type: Union[str, List[str]],
        result_filepath: Optional[str] = None,
        multiple_results: bool = False,
    ) -> None:
        """Writes the result, or each of several, as a node would submit it; without a path it is printed."""
        if result_filepath is None:
            print(result)
            return
        results = list(result) if multiple_results else [result]
        types = output_type if isinstance(output_type, list) else [output_type] * len(results)
        folder, name = os.path.split(result_filepath)
        for one, kind, file_name in zip(results, types, numbered(name, len(results))):
            with open(os.path.join(folder, file_name), "wb") as file:
                file.write(result_bytes(one, kind))
