"""The survival curve of all patients (Kaplan and Meier), from counts per month of each hospital."""

import csv
import io
import json

from flame.star import StarAggregator, StarAnalyzer, StarModel

MONTHS = 36


class Counts(StarAnalyzer):
    """Leaves the hospital with how many died, and how many left the study, in each month."""

    def analysis_method(self, data, aggregator_results):
        deaths = [0] * MONTHS
        censored = [0] * MONTHS
        for row in csv.DictReader(io.StringIO(data[0]["followup.csv"].decode())):
            month = min(int(row["months"]), MONTHS - 1)
            (deaths if row["died"] == "1" else censored)[month] += 1
        return {"deaths": deaths, "censored": censored}


class Curve(StarAggregator):
    def aggregation_method(self, analysis_results):
        deaths = [sum(month) for month in zip(*(result["deaths"] for result in analysis_results))]
        censored = [sum(month) for month in zip(*(result["censored"] for result in analysis_results))]
        at_risk = sum(deaths) + sum(censored)
        survival = 1.0
        curve = []
        for died, left in zip(deaths, censored):
            survival *= 1 - died / at_risk if at_risk else 1
            curve.append(round(survival, 12))
            at_risk -= died + left
        return json.dumps({"survival": curve})


StarModel(Counts, Curve, data_type="s3", query="followup.csv")
