"""Steps with names, and what is taken down after them: the last that was made goes first."""

import contextlib
import traceback
import uuid


class StepFailed(Exception):
    pass


class Journey:
    def __init__(self):
        self.token = uuid.uuid4().hex[:12]
        self.failures = []
        self._removals = []

    def name(self, word):
        return f"{word}-{self.token}"

    @property
    def names(self):
        """A filter for everything that was named here."""
        return {"name": ("~", self.token)}

    @contextlib.contextmanager
    def step(self, name):
        try:
            yield
        except StepFailed as failure:
            raise StepFailed(f"{name}: {failure}") from failure.__cause__
        except Exception as error:
            raise StepFailed(name) from error

    def afterwards(self, name, remove):
        self._removals.append((name, remove))

    def go(self, *parts):
        """Does the parts until one fails, and takes down what was made in any case."""
        try:
            for part in parts:
                part()
        except StepFailed as failure:
            self._keep(failure)
        while self._removals:
            self.attempt(*self._removals.pop())

    def attempt(self, name, do):
        try:
            with self.step(name):
                do()
        except StepFailed as failure:
            self._keep(failure)

    def _keep(self, failure):
        cause = "".join(traceback.format_exception(failure.__cause__))
        self.failures.append(f'The step "{failure}" failed:\n{cause}')


def same(what, actual, expected):
    if actual != expected:
        raise AssertionError(f"{what}: {actual!r} instead of {expected!r}")
