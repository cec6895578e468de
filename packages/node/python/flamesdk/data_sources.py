"""The data sources that the node gives to the project of the analysis."""

import csv
import io
import json
from typing import Any, Dict, List, Optional, Union
from urllib.parse import quote
from xml.etree import ElementTree

from .gateway import Gateway


class DataClient:
    """Reads from one data source."""

    def __init__(self, gateway: Gateway, source: Dict[str, Any]) -> None:
        self._gateway = gateway
        self._path = f"/kong{source['paths'][0]}"
        self.source = source

    @property
    def is_fhir(self) -> bool:
        return self._path.endswith("/fhir")

    def get(self, path: str = "") -> bytes:
        return self._gateway.data(f"{self._path}/{path.lstrip('/')}" if path else self._path)

    def keys(self) -> List[str]:
        """The names of the files of a source of files."""
        listing = ElementTree.fromstring(self.get())
        return [element.text or "" for element in listing.iter() if element.tag.endswith("Key")]


class DataSources:
    def __init__(self, gateway: Gateway, project_id: str) -> None:
        self._gateway = gateway
        self._project_id = project_id
        self._sources: Optional[List[Dict[str, Any]]] = None

    def all(self) -> List[Dict[str, Any]]:
        if self._sources is None:
            answer = self._gateway.json("GET", f"/hub-adapter/kong/datastore/{self._project_id}")
            self._sources = answer["data"]
        return self._sources

    def client(self, data_id: str) -> DataClient:
        for source in self.all():
            if source["id"] == data_id:
                return DataClient(self._gateway, source)
        raise KeyError(f'The project has no data source "{data_id}" at this node')

    def files(self, keys: List[str]) -> List[Dict[str, bytes]]:
        """The files of each source of files: all of them, or those with these keys."""
        sources = [client for client in self._clients() if not client.is_fhir]
        return [
            {key: client.get(quote(key)) for key in client.keys() if not keys or key in keys}
            for client in sources
        ]

    def fhir(self, queries: List[str]) -> List[Dict[str, Any]]:
        """The answers of each FHIR server, by query."""
        sources = [client for client in self._clients() if client.is_fhir]
        return [{query: json.loads(client.get(query)) for query in queries} for client in sources]

    def _clients(self) -> List[DataClient]:
        return [DataClient(self._gateway, source) for source in self.all()]


def fhir_to_csv(
    fhir_data: Dict[str, Any],
    col_key_seq: str,
    value_key_seq: str,
    input_resource: str,
    row_key_seq: Optional[str] = None,
    row_id_filters: Optional[List[str]] = None,
    col_id_filters: Optional[List[str]] = None,
    row_col_name: str = "",
    separator: str = ",",
    output_type: str = "file",
) -> Union[io.StringIO, Dict[str, Dict[str, Any]]]:
    """A table of the resources of a bundle: rows, columns and values are named by dotted paths in a resource."""
    table: Dict[str, Dict[str, Any]] = {}
    for entry in fhir_data.get("entry", []):
        resource = entry.get("resource", {})
        if resource.get("resourceType") != input_resource:
            continue
        row = str(_at(resource, row_key_seq or "id"))
        column = str(_at(resource, col_key_seq))
        if _passes(row, row_id_filters) and _passes(column, col_id_filters):
            table.setdefault(row, {})[column] = _at(resource, value_key_seq)
    return table if output_type == "dict" else _as_csv(table, row_col_name, separator)


def _passes(value: str, filters: Optional[List[str]]) -> bool:
    return not filters or any(one in value for one in filters)


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        if isinstance(value, list):
            value = value[int(name)] if name.isdigit() else (value[0] if value else None)
            if name.isdigit():
                continue
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _as_csv(table: Dict[str, Dict[str, Any]], row_name: str, separator: str) -> io.StringIO:
    columns = sorted({column for row in table.values() for column in row})
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator)
    writer.writerow([row_name, *columns])
    for name, row in table.items():
        writer.writerow([name, *(row.get(column, "") for column in columns)])
    text.seek(0)
    return text
