"""The mean age of all patients, without any hospital showing a single one."""

import csv
import io
import json

from flame.star import StarAggregator, StarAnalyzer, StarModel


class Sums(StarAnalyzer):
    """Leaves the hospital with two numbers: a sum and a count."""

    def analysis_method(self, data, aggregator_results):
        rows = csv.DictReader(io.StringIO(data[0]["patients.csv"].decode()))
        ages = [float(row["age"]) for row in rows]
        return {"sum": sum(ages), "count": len(ages)}


class Mean(StarAggregator):
    def aggregation_method(self, analysis_results):
        count = sum(result["count"] for result in analysis_results)
        total = sum(result["sum"] for result in analysis_results)
        return json.dumps({"mean": total / count, "count": count})


StarModel(Sums, Mean, data_type="s3", query="patients.csv")
