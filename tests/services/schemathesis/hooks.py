"""What a generator cannot know of the platform, each with its reason; every other refusal is a finding."""

import collections
import json
import os

import jsonschema_rs
import schemathesis
from schemathesis import checks
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi import checks as openapi

# Ids of real records by the path of their collection: those that last, those that may be removed, and what bodies call them.
RECORDS = json.loads(os.environ["HUB_RECORDS"])

# A valid request is refused for what is in the database, which no schema can say: an id that names nothing, a record that
# is built in, a name that is locked, a node without a registry, a command whose guard is not met, a collection that is only read.
REFUSED_BY_STATE = {"entity_relation_invalid", "ANALYSIS_ERROR", "method_not_allowed"}
STATES = (
    "is built in",
    "is locked",
    "The project has analyses: delete them first",
    "bucketId is not the bucket of the analysis bucket",
    "The node has no client to log in with",
    "The node is not connected to a registry",
    "The node is not assigned to the analysis",
    "The analysis has no client at the identity provider yet",
    "The body refers to records that do not exist",
)

# The grammar of a filter written as one expression is no regular language, so no pattern describes it; nor does one say how
# many days a month has.
BEYOND_PATTERNS = {"syntaxInvalid", "date"}

# Operators are part of the values of a filter; the logs of analyses know equality only.
OPERATORS = "Unsupported filter operator for logs"

# Nor is which numbers are an address and a port, what a list of redirect patterns may hold, which secrets are guessed, or
# which texts in base64 are the path of a file, where a page ended, or what two ways to name a version agree on.
CHOSEN = (
    ["host"],
    ["redirectUri"],
    ["postLogoutRedirectUri"],
    ["backchannelLogoutUri"],
    ["secret"],
    ["password"],
    ["Upload-Metadata"],
    ["cursor"],
    ["If-Match"],
)
CHOSEN_CODES = {"value_invalid", "url"}

# What is exchanged for a token is good or not, and which grants a client may use is kept with it (RFC 6749, 5.2).
OAUTH_PATHS = ("/token", "/token/introspect", "/token/revoke")
OAUTH_STATE = {"invalid_credentials", "invalid_grant", "unauthorized_client"}

# Which clients there are, and where each wants its users back, is in the database; people are told so, in HTML.
LOGIN_PATHS = ("/authorize", "/logout")
UNREGISTERED = ("is not registered.", "is not registered for it.")

# What a registry has is asked there, and no registry is.
ASKS_ANOTHER_SERVER = ("/registry-projects/{id}/adoption",)

# That one of two headers is needed, or one with a certain value of another, or bytes with that, is for tus 1.0 to say.
BETWEEN_HEADERS = (
    "Send either Upload-Length, or Upload-Defer-Length: 1",
    "Send the header Upload-Offset",
    "Send the bytes as application/offset+octet-stream, and without an encoding",
)

# What a POST to an upload may mean.
MEANT = {"HEAD", "PATCH", "DELETE", b"HEAD", b"PATCH", b"DELETE"}

# What is not a page counts as not given: existing clients send such, and the interface tolerates it.
TOLERATED = {"page[limit]", "page[offset]", "limit", "wait"}

calls = collections.Counter()


@schemathesis.hook
def before_call(context, case, kwargs):
    spare_the_caller(case)
    shorten_waits(case)
    point_at_records(case)


def spare_the_caller(case):
    """A call that would change or remove what the caller is, and what it may do, is about the record to be removed."""
    spare = RECORDS["spare"].get(collection_of(case))
    if spare and case.method.upper() != "GET" and (case.path_parameters or {}).get("id") in RECORDS["kept"]:
        case.path_parameters = {**case.path_parameters, "id": spare}


def shorten_waits(case):
    """A mailbox in which there is nothing answers when the wait is over."""
    if "wait" in (case.query or {}) and is_right(case, ParameterLocation.QUERY):
        case.query = {**case.query, "wait": 10}


def point_at_records(case):
    """Every second call of an operation is about records that exist, as far as its ids were meant to be right."""
    if case.meta is None or case.meta.phase.name == "stateful":
        return  # takes ids from answers
    calls[case.operation.label] += 1
    if calls[case.operation.label] % 2 == 0:
        return
    records = RECORDS["spare" if case.method.upper() == "DELETE" else "lasting"]
    collection = collection_of(case)
    if is_right(case, ParameterLocation.PATH) and collection in records and "id" in (case.path_parameters or {}):
        known = {"id": records[collection], "uploadId": records["/uploads"]}
        case.path_parameters = {name: known.get(name, value) for name, value in case.path_parameters.items()}
    if is_right(case, ParameterLocation.BODY) and isinstance(case.body, dict):
        names = {RECORDS["references"][path]: value for path, value in records.items() if path in RECORDS["references"]}
        case.body = {key: names.get(key, value) if value is not None else None for key, value in case.body.items()}


def collection_of(case):
    return case.operation.path.partition("/{id}")[0]


def is_right(case, location):
    component = case.meta.components.get(location)
    return component is not None and component.mode.is_positive


def envelope_of(response):
    try:
        answer = response.json()
        return answer if isinstance(answer, dict) else {}
    except ValueError:
        return {}


def is_beyond_patterns(issue):
    is_chosen = issue.get("path") in CHOSEN and issue.get("code") in CHOSEN_CODES
    return is_chosen or issue.get("code") in BEYOND_PATTERNS


def is_keyless_expression(issue, case):
    """A filter in brackets that names no key (`filter[]=...`) is an expression, or several of which one counts."""
    query = case.query or {}
    sent = query.get("filter")
    is_keyless = "filter[]" in query or (isinstance(sent, dict) and "" in sent)
    is_of_filters = issue.get("code") == "inputInvalid" and issue.get("meta", {}).get("parameter") == "filters"
    return is_of_filters and is_keyless


def is_filter_lost_on_the_way(response, case):
    """A filter whose only value is an empty object or list is nothing once it is written into an address."""
    meant = any(key.startswith("filter[") for key in case.query or {})
    return meant and "filter" not in response.request.url


def is_refused_by_state(response, case):
    answer = envelope_of(response)
    code = answer.get("code")
    if answer.get("message", "").startswith(OPERATORS) or is_filter_lost_on_the_way(response, case):
        return True
    if code in REFUSED_BY_STATE or any(word in answer.get("message", "") for word in STATES):
        return True
    if case.operation.path in OAUTH_PATHS and code in OAUTH_STATE:
        return True
    if case.operation.path in LOGIN_PATHS and any(word in response.text for word in UNREGISTERED):
        return True
    if "/resumable" in case.operation.path and case.method.upper() == "POST" and answer.get("message") in BETWEEN_HEADERS:
        return True
    if "\\u0000" in json.dumps(case.body, default=str):
        return True  # PostgreSQL keeps no such character, and no pattern that all dialects read excludes it
    issues = answer.get("issues", [])
    return len(issues) > 0 and all(is_excused(issue, case) for issue in issues)


def is_excused(issue, case):
    return (
        is_beyond_patterns(issue)
        or is_no_uuid(issue, case)
        or is_keyless_expression(issue, case)
        or is_counted_in_units(issue, case)
        or is_passed_over_in_lists(issue, case)
    )


def is_passed_over_in_lists(issue, case):
    """A deletion refuses each key of its filter that a list would pass over, and no pattern says which those are."""
    return case.method.upper() == "DELETE" and issue.get("meta", {}).get("parameter") == "filters"


def is_counted_in_units(issue, case):
    """JSON Schema counts characters; what is kept is counted in units of UTF-16, of which some characters take two."""
    sent = case.body.get(issue["path"][0]) if issue.get("code") == "max_length" and isinstance(case.body, dict) else None
    return isinstance(sent, str) and len(sent) <= issue["data"]["max"]


def is_no_uuid(issue, case):
    """In JSON Schema `format` asserts nothing, so an empty text passes for a uuid."""
    sent = case.body.get(issue["path"][0]) if issue.get("code") == "uuid" and isinstance(case.body, dict) else None
    return sent == ""


def only_tolerated_is_wrong(case):
    """Whether the request would be right without what counts as not given."""
    if case.operation.path in OAUTH_PATHS and isinstance(case.body, dict) and None in case.body.values():
        return all(isinstance(value, str) for value in case.body.values() if value is not None)
    query = case.query or {}
    rest = {key: value for key, value in query.items() if key not in TOLERATED and not is_ignored_filter(key, value)}
    if case.method.upper() != "GET" or len(rest) == len(query):
        return False
    elsewhere = [location for location in case.meta.components if location != ParameterLocation.QUERY]
    return all(is_right(case, location) for location in elsewhere) and is_right_query(case, rest)


def is_ignored_filter(key, value):
    """A filter that is there several times, once without a value, counts as not given, which X-Dropped-Keys says."""
    return key == "filter" and isinstance(value, list) and "" in value


def is_right_query(case, query):
    declared = case.operation.definition.raw.get("parameters", [])
    schemas = {one["name"]: one["schema"] for one in declared if one["in"] == "query"}
    return all(jsonschema_rs.is_valid(schemas[key], value) for key, value in query.items() if key in schemas)


def is_refused_as_tus_says(response, case):
    """No version, or another, is answered with 412 and a POST that means no method with 404: no refusals to the checks."""
    sent = response.request.headers
    if "/resumable" not in case.operation.path:
        return False
    if sent.get("Tus-Resumable") != "1.0.0" and response.status_code == 412:
        return True
    is_instead = case.operation.path.endswith("/{uploadId}") and case.operation.method.upper() == "POST"
    return is_instead and sent.get("X-HTTP-Method-Override") not in MEANT and response.status_code == 404


def only_parts_are_wrong(case):
    """A part of a form is a text, whatever it was made from, and one without a filename is no file."""
    elsewhere = [location for location in case.meta.components if location != ParameterLocation.BODY]
    return case.media_type == "multipart/form-data" and all(is_right(case, location) for location in elsewhere)


@schemathesis.check
def valid_requests_are_accepted(ctx, response, case):
    if is_refused_by_state(response, case):
        return None
    return openapi.positive_data_acceptance(ctx, response, case)


@schemathesis.check
def invalid_requests_are_refused(ctx, response, case):
    if only_tolerated_is_wrong(case) or only_parts_are_wrong(case) or is_refused_as_tus_says(response, case):
        return None
    if response.status_code == 413:
        return None  # a body that is too large is refused before anybody looks into it
    return openapi.negative_data_rejection(ctx, response, case)


@schemathesis.check
def servers_do_not_fail(ctx, response, case):
    if case.operation.path in ASKS_ANOTHER_SERVER and envelope_of(response).get("code") == "service_unavailable":
        return None
    return checks.not_a_server_error(ctx, response, case)


@schemathesis.check
def deleted_records_are_gone(ctx, response, case):
    """What is understood of a protocol, which OPTIONS asks, does not depend on what there is."""
    if case.method.upper() == "OPTIONS":
        return None
    return openapi.use_after_free(ctx, response, case)


@schemathesis.check
def required_headers_are_required(ctx, response, case):
    if is_refused_as_tus_says(response, case):
        return None
    return openapi.missing_required_header(ctx, response, case)


@schemathesis.check
def other_methods_are_not_found(ctx, response, case):
    """The interface has no 405: another method is answered as another path is."""
    is_undeclared = case.meta and getattr(case.meta.phase.data, "description", "").startswith("Unspecified HTTP method")
    if is_undeclared and response.request.method != "OPTIONS":
        assert response.status_code == 404, f"{response.request.method} was answered with {response.status_code}"
        assert envelope_of(response).get("code") == "entity_not_found"


@schemathesis.serializer("application/offset+octet-stream")
def octets(ctx, value):
    """A piece of an upload is sent as it is."""
    return value if isinstance(value, bytes) else str(value).encode()
