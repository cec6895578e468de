"""A logistic regression by federated averaging: ten rounds, each with a step of every hospital from the same weights."""

import csv
import io
import json
import math

from flame.star import StarAggregator, StarAnalyzer, StarModel

FEATURES = ("age", "bmi", "systolic")
CENTERS = (60.0, 27.0, 135.0)
SCALES = (12.0, 5.0, 18.0)
ROUNDS = 10
STEPS = 5
RATE = 0.5


def probability(weights, features):
    return 1 / (1 + math.exp(-sum(weight * feature for weight, feature in zip(weights, features))))


def local_training(rows, weights):
    """Some steps of gradient descent on the rows of one hospital."""
    weights = list(weights)
    for _ in range(STEPS):
        gradient = [0.0] * len(weights)
        for features, outcome in rows:
            error = probability(weights, features) - outcome
            gradient = [total + error * feature for total, feature in zip(gradient, features)]
        weights = [weight - RATE * total / len(rows) for weight, total in zip(weights, gradient)]
    return weights


def average(results):
    """The mean of the weights, each hospital counting as much as it has rows."""
    total = sum(result["rows"] for result in results)
    return [
        math.fsum(result["weights"][index] * result["rows"] for result in results) / total
        for index in range(len(FEATURES) + 1)
    ]


def read_rows(text):
    return [
        (
            [1.0]
            + [
                (float(row[name]) - center) / scale
                for name, center, scale in zip(FEATURES, CENTERS, SCALES)
            ],
            float(row["readmitted"]),
        )
        for row in csv.DictReader(io.StringIO(text))
    ]


class Training(StarAnalyzer):
    def analysis_method(self, data, aggregator_results):
        rows = read_rows(data[0]["patients.csv"].decode())
        start = list(json.loads(aggregator_results).values()) if aggregator_results else [0.0] * (len(FEATURES) + 1)
        self.flame.set_progress(100 * self.num_iterations // ROUNDS)
        self.flame.flame_log(f"Round {self.num_iterations + 1} of {ROUNDS}")
        return {"weights": local_training(rows, start), "rows": len(rows)}


class Averaging(StarAggregator):
    def aggregation_method(self, analysis_results):
        self.flame.set_progress(100 * (self.num_iterations + 1) // ROUNDS)
        return json.dumps(dict(zip(("intercept", *FEATURES), average(analysis_results))))

    def has_converged(self, result, last_result):
        return self.num_iterations + 1 == ROUNDS


if __name__ == "__main__":
    StarModel(Training, Averaging, data_type="s3", query="patients.csv", simple_analysis=False)
