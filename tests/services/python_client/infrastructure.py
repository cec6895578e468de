"""Registries and nodes."""

import functools
import uuid

from eventually import eventually
from hub import refused
from journey import same
from records import deleted, made

SECRET = "a secret of a node that is long enough"
MADE_BY_SETUP = ["incoming", "masterImages", "outgoing"]


def registries(journey, hub):
    kinds, core = hub.kinds, hub.core
    for word in ("harbor", "dock"):
        given = {"host": f"{word}.example.org", "account_name": word, "account_secret": "first"}
        renamed = {"name": journey.name(f"new-{word}"), "account_secret": "second"}
        registry = made(
            journey,
            kinds.registry,
            journey.name(word),
            **given,
            among=journey.names,
            change=renamed,
        )
    of_registry = {"registryId": registry.id}
    for word in ("quay", "pier"):
        given = {
            "registry_project_type": "default",
            "registry_id": registry,
            "external_name": f"{word}{journey.token}",
        }
        renamed = {"name": journey.name(f"new-{word}")}
        made(
            journey,
            kinds.registry_project,
            journey.name(word),
            **given,
            among=of_registry,
            change=renamed,
        )
    with journey.step("set up a registry"):
        core.send_registry_command(registry, "setup")

        def types():
            found = core.find_registry_projects(filter=of_registry)
            return sorted(one.type for one in found if one.type != "default")

        eventually(lambda: types() == MADE_BY_SETUP)
    return registry


def nodes(journey, hub):
    kinds, core = hub.kinds, hub.core
    registry = registries(journey, hub)
    for word in ("ward", "hall"):
        given = {"realm_id": hub.master, "node_type": "default"}
        changed = {
            "external_name": f"{word}{journey.token}",
            "registry_id": registry.id,
            "hidden": True,
            "node_type": "aggregator",
        }
        node = made(
            journey,
            kinds.node,
            journey.name(word),
            **given,
            among=journey.names,
            change=changed,
        )
    with journey.step("read what a node logs in to its registry with"):
        told = core.get_node_registry_credentials(node)
        same("Its registry", told.host, registry.host)
    credentials(
        journey,
        hub,
        node,
        functools.partial(core.get_node_client_credentials, node),
        functools.partial(core.update_node_client_credentials, node),
    )


def credentials(journey, hub, record, read, update, *, keeps_name=False):
    """The client of a record is the provider's, and logs in with the last secret."""
    with journey.step("read its client"):
        client = hub.identity.get_client(record.client_id)
        told = read()
        same(
            "Its client",
            (told.id, told.name, told.display_name),
            (client.id, client.name, client.display_name),
        )
    with journey.step("change its client"):
        name = f"program-{uuid.uuid4().hex}"
        given = {"name": name, "display_name": "Program"}
        told = update(**given, secret=SECRET)
        kept = {"name": client.name, "display_name": client.display_name}
        answered = {"name": told.name, "display_name": told.display_name}
        same("Its names", answered, kept if keeps_name else given)
        same("Its secret", told.secret, SECRET)
        hub.identity_as(hub.with_secret(told.id, SECRET)).get_realms()
        told = update(secret=None)
        old = hub.identity_as(hub.with_secret(told.id, SECRET))
        refused(old.get_realms, status=401, text="Client authentication failed")


def realm_with_node(journey, hub):
    kinds = hub.kinds
    with journey.step("create a realm with a node"):
        realm = kinds.realm.create(journey.name("hospice"))
        node = kinds.node.create(journey.name("bedside"), realm)
    with journey.step("delete a realm with a node"):
        deleted(kinds.realm, realm)
        eventually(lambda: kinds.node.get(node) is None)
        eventually(lambda: kinds.client.get(node.client_id) is None)
