"""Tables of FHIR bundles."""

import io
import json
from typing import Any, Dict, List, Optional, Union
from urllib.parse import urlsplit

from flamesdk.data_sources import DataClient, fhir_to_csv as _table

MAX_PAGES = 10_000


def fhir_to_csv(
    fhir_data: Dict[str, Any],
    col_key_seq: str,
    value_key_seq: str,
    input_resource: str,
    flame_logger: Any,
    row_key_seq: Optional[str] = None,
    row_id_filters: Optional[List[str]] = None,
    col_id_filters: Optional[List[str]] = None,
    row_col_name: str = "",
    separator: str = ",",
    output_type: str = "file",
    data_client: Optional[DataClient] = None,
) -> Union[io.StringIO, Dict[str, Dict[str, Any]]]:
    """A table of a bundle; with a data client, of all the pages that follow it, too."""
    entries = list(fhir_data.get("entry", []))
    following = _next(fhir_data) if data_client else None
    for _ in range(MAX_PAGES):
        if data_client is None or following is None:
            break
        page = json.loads(data_client.get(following))
        entries += page.get("entry", [])
        following = _next(page)
    return _table(
        {**fhir_data, "entry": entries},
        col_key_seq,
        value_key_seq,
        input_resource,
        row_key_seq,
        row_id_filters,
        col_id_filters,
        row_col_name,
        separator,
        output_type,
    )


def _next(bundle: Dict[str, Any]) -> Optional[str]:
    """The path of the next page below the address of the server, which the node knows."""
    for link in bundle.get("link", []):
        if link.get("relation") == "next":
            address = urlsplit(link["url"])
            last = address.path.rstrip("/").rsplit("/", 1)[-1]
            return f"{last if last[:1].isupper() else ''}?{address.query}"
    return None
