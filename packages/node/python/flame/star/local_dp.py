"""A star whose result gets noise before it leaves."""

from typing import Any, Dict, List, Optional, Type, Union

from .model import StarModel
from .nodes import StarAggregator, StarAnalyzer


class StarLocalDPModel(StarModel):
    """Adds noise of Laplace to the number that is submitted, for differential privacy."""

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
        epsilon: Optional[float] = None,
        sensitivity: Optional[float] = None,
        test_mode: bool = False,
        test_kwargs: Optional[Dict[str, Any]] = None,
    ) -> None:
        # Without both, the result would leave as it is.
        if not epsilon or epsilon <= 0 or sensitivity is None or sensitivity < 0:
            raise ValueError("Noise needs an epsilon above 0 and a sensitivity that is not negative")
        self._noise = {"epsilon": epsilon, "sensitivity": sensitivity}
        super().__init__(
            analyzer,
            aggregator,
            data_type,
            query,
            simple_analysis,
            output_type,
            multiple_results,
            analyzer_kwargs,
            aggregator_kwargs,
            test_mode,
            test_kwargs,
        )

    def _submit(self, result: Any) -> None:
        self.flame.submit_final_result(result, **self._output, local_dp=self._noise)
