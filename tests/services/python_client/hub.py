"""The services of a hub, as its administrator, and the kinds of records that they hold."""

import types

import flame_hub
from flame_hub import models

from connected import connected
from records import Kind

ADMIN = {"username": "admin", "password": "start123"}

KINDS_OF_IDENTITY = (
    "realm user role permission role_permission user_permission user_role client".split()
)
KINDS_OF_CORE = (
    "registry registry_project node project project_node analysis analysis_node "
    "analysis_bucket analysis_bucket_file".split()
)
KINDS_OF_STORAGE = "bucket bucket_file".split()

UNKNOWN_RELATIONS = {"analysis": frozenset({"registry"})}
NOT_FOUND_BY_ID = "project_node analysis_node analysis_bucket analysis_bucket_file".split()


class Hub:
    def __init__(self, origin):
        self.login_url = f"{origin}/auth/"
        self.auth = flame_hub.auth.PasswordAuth(**ADMIN, base_url=self.login_url)
        self.identity = self.identity_as(self.auth)
        self.core = connected(flame_hub.CoreClient, f"{origin}/core/", self.auth)
        self.storage = connected(flame_hub.StorageClient, f"{origin}/storage/", self.auth)
        services = (
            (self.identity, KINDS_OF_IDENTITY),
            (self.core, KINDS_OF_CORE),
            (self.storage, KINDS_OF_STORAGE),
        )
        kinds = {name: kind(service, name) for service, names in services for name in names}
        self.kinds = types.SimpleNamespace(**kinds)
        [self.master] = self.identity.find_realms(filter={"name": "master"})

    @property
    def all_kinds(self):
        return vars(self.kinds).values()

    def identity_as(self, auth):
        return connected(flame_hub.AuthClient, self.login_url, auth)

    def with_token(self, token):
        return flame_hub.auth.StaticAuth(token)

    def with_password(self, username, password):
        return flame_hub.auth.PasswordAuth(username, password, self.login_url)

    def with_secret(self, client_id, secret):
        return flame_hub.auth.ClientAuth(str(client_id), secret, self.login_url)


def kind(service, name):
    model = getattr(models, "".join(word.title() for word in name.split("_")))
    unknown_relations = UNKNOWN_RELATIONS.get(name, frozenset())
    return Kind(service, name, model, unknown_relations, name not in NOT_FOUND_BY_ID)


def refused(do, *, status, text):
    """Whether the hub refuses something, so that a program can tell why."""
    try:
        do()
    except flame_hub.HubAPIError as error:
        if error.error_response.status_code != status or text not in str(error):
            raise
    else:
        raise AssertionError("It was not refused")
