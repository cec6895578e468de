"""Realms, people, what they may do, programs, and how each of them logs in."""

import functools

from hub import ADMIN, refused
from journey import same
from records import made

SECRET = "a secret of a program that is long enough"
NO_CLIENT = "Client authentication failed"
NO_PERSON = "The user credentials are invalid"


def people(journey, hub):
    kinds = hub.kinds
    make = functools.partial(made, journey, among=journey.names)
    for word in ("clinic", "institute"):
        renamed = {"name": journey.name(f"other-{word}"), "description": "Renamed"}
        make(kinds.realm, journey.name(word), change=renamed)

    users = []
    for word in ("berta", "anton"):
        address = f"{journey.name(word)}@example.org"
        renamed = {"name": journey.name(f"new-{word}"), "first_name": word}
        users.append(make(kinds.user, journey.name(word), address, change=renamed))
    roles = [
        make(kinds.role, journey.name(word), change=described(journey, word))
        for word in ("nurse", "doctor")
    ]
    permissions = [
        make(kinds.permission, journey.name(word), change=described(journey, word))
        for word in ("see", "heal")
    ]
    assigned = functools.partial(made, journey)
    for permission in permissions:
        assigned(kinds.role_permission, roles[0], permission, among={"roleId": roles[0].id})
        assigned(kinds.user_permission, users[0], permission, among={"userId": users[0].id})
    for role in roles:
        assigned(kinds.user_role, users[0], role, among={"userId": users[0].id})


def described(journey, word):
    return {"name": journey.name(f"new-{word}"), "description": f"What {word} stands for"}


def programs(journey, hub):
    kind = hub.kinds.client
    for word in ("collector", "mailer"):
        given = {"realm_id": hub.master, "secret": SECRET}
        renamed = {"name": journey.name(f"new-{word}"), "display_name": word}
        client = made(
            journey, kind, journey.name(word), **given, among=journey.names, change=renamed
        )
    with journey.step("log in as a client"):
        hub.identity_as(hub.with_secret(client.id, SECRET)).get_realms()
        refused_login(hub.with_secret, hub, client.id, "another", status=401, text=NO_CLIENT)


def logins(journey, hub):
    with journey.step("log in with a wrong password"):
        nobody = journey.name("nobody")
        refused_login(hub.with_password, hub, nobody, "wrong", status=400, text=NO_PERSON)

    with journey.step("renew a token"):
        auth = hub.with_password(**ADMIN)
        visitor = hub.identity_as(auth)
        visitor.get_realms()
        first = auth._current_token
        auth._current_token_expires_at_nanos = 0
        visitor.get_realms()
        is_new = auth._current_token.access_token != first.access_token
        same("Whether it is a new one", is_new, True)

    with journey.step("renew with what is no token"):
        auth._current_token.refresh_token = "nothing"
        auth._current_token_expires_at_nanos = 0
        refused(visitor.get_realms, status=400, text="The JWT is invalid")

    with journey.step("use a token by itself"):
        token = hub.auth._current_token.access_token
        bearer = hub.identity_as(hub.with_token(token))
        same("What is read", bearer.get_realm(hub.master), hub.master)


def refused_login(way, hub, *given, status, text):
    refused(hub.identity_as(way(*given)).get_realms, status=status, text=text)
