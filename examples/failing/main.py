"""Fails at one hospital, whose file has a column less: the analysis ends, and says where and why."""

import csv
import io

from flame.star import StarAggregator, StarAnalyzer, StarModel


class Sums(StarAnalyzer):
    def analysis_method(self, data, aggregator_results):
        rows = list(csv.DictReader(io.StringIO(data[0]["laboratory.csv"].decode())))
        if "creatinine" not in rows[0]:
            raise ValueError("laboratory.csv has no column creatinine")
        return sum(float(row["creatinine"]) for row in rows)


class Total(StarAggregator):
    def aggregation_method(self, analysis_results):
        return sum(analysis_results)


StarModel(Sums, Total, data_type="s3", query="laboratory.csv")
