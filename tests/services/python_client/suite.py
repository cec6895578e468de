"""Every kind of record that the client for Python knows, from its first to its last."""

import functools
import sys
import uuid

from analyses import Analyses
from draft import draft
from eventually import eventually
from hub import Hub
from infrastructure import nodes, realm_with_node
from journey import Journey
from locked import locked
from people import logins, people, programs
from records import ids_of_all, nothing_left
from stored import stored


def agree(hub):
    """Waits until core names all that storage and the identity provider hold for it."""
    kinds = hub.kinds
    sides = (
        (lambda: {one.bucket_id for one in kinds.analysis_bucket.all()}, kinds.bucket.ids),
        (
            lambda: {one.bucket_file_id for one in kinds.analysis_bucket_file.all()},
            kinds.bucket_file.ids,
        ),
        (
            lambda: kinds.node.ids() | kinds.analysis.ids(),
            lambda: named_by_id(kinds.client.all()),
        ),
    )
    for named, held in sides:
        eventually(lambda: named() == held())


def named_by_id(clients):
    return {uuid.UUID(client.name) for client in clients if is_id(client.name)}


def is_id(name):
    try:
        uuid.UUID(name)
    except ValueError:
        return False
    return True


def main(origin):
    hub = Hub(origin)
    journey = Journey()
    analyses = Analyses(journey, hub)
    before = ids_of_all(hub.all_kinds)
    parts = (people, programs, logins, stored, nodes, realm_with_node)
    journey.go(
        *(functools.partial(part, journey, hub) for part in parts),
        analyses.images,
        analyses.projects,
        functools.partial(draft, analyses),
        functools.partial(locked, analyses),
    )
    journey.attempt("look for what is left", lambda: nothing_left(hub.all_kinds, before))
    journey.attempt("compare core, storage and identity", lambda: agree(hub))
    if journey.failures:
        sys.exit("\n\n".join(journey.failures))


main(*sys.argv[1:])
