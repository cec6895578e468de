"""What a generator cannot know of the platform, each with its reason; every other refusal is a finding."""

import json

import schemathesis
from schemathesis.specs.openapi import checks as openapi

# A valid request is refused for what is in the database, which no schema can say: an id that names nothing, a record that
# is built in, a name that is locked, a command whose guard is not met.
REFUSED_BY_STATE = {"entity_relation_invalid", "ANALYSIS_ERROR"}
BUILT_IN = ("is built in", "is locked")

# The grammar of a filter written as one expression is no regular language, so no pattern describes it.
BEYOND_PATTERNS = {"syntaxInvalid"}

# Nor is which numbers are an address and a port, or what a list of redirect patterns may hold.
ADDRESSES = (["host"], ["redirectUri"])

# What OAuth asks for depends on grant and client (RFC 6749, 5.2); the login page says so to people, in HTML.
OAUTH_PATHS = ("/token", "/token/introspect", "/token/revoke", "/authorize")

# Which headers of an upload go together (a length or a deferred one, an offset with bytes) is for tus 1.0 to say.

# What is not a page counts as not given: existing clients send such, and the interface tolerates it.
TOLERATED = {"page[limit]", "page[offset]"}


def envelope_of(response):
    try:
        answer = response.json()
        return answer if isinstance(answer, dict) else {}
    except ValueError:
        return {}


def is_beyond_patterns(issue):
    is_address = issue.get("path") in ADDRESSES and issue.get("code") == "value_invalid"
    return is_address or issue.get("code") in BEYOND_PATTERNS


def is_refused_by_state(response, case):
    answer = envelope_of(response)
    if answer.get("code") in REFUSED_BY_STATE or any(word in answer.get("message", "") for word in BUILT_IN):
        return True
    if "\\u0000" in json.dumps(case.body, default=str):
        return True  # PostgreSQL keeps no such character, and no pattern that all dialects read excludes it
    if any(is_beyond_patterns(issue) for issue in answer.get("issues", [])):
        return True
    if "/resumable" in case.operation.path and response.status_code == 400:
        return True
    return case.operation.path in OAUTH_PATHS and response.status_code == 400


def only_pages_are_wrong(case):
    """Whether the query would be right if its page were left out."""
    rest = {key: value for key, value in (case.query or {}).items() if key not in TOLERATED}
    pages = len(case.query or {}) - len(rest)
    return pages > 0 and case.method.upper() == "GET"


def is_refused_as_tus_says(response, case):
    """Another version of the protocol is answered with 412, which the check does not count as a refusal."""
    return "/resumable" in case.operation.path and response.status_code == 412


@schemathesis.check
def valid_requests_are_accepted(ctx, response, case):
    if is_refused_by_state(response, case):
        return None
    return openapi.positive_data_acceptance(ctx, response, case)


@schemathesis.check
def invalid_requests_are_refused(ctx, response, case):
    if only_pages_are_wrong(case) or is_refused_as_tus_says(response, case):
        return None
    return openapi.negative_data_rejection(ctx, response, case)


@schemathesis.serializer("application/offset+octet-stream")
def octets(ctx, value):
    """A piece of an upload is sent as it is."""
    return value if isinstance(value, bytes) else str(value).encode()
