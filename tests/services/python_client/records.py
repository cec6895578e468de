"""What is true of every kind of record, whatever it stands for."""

import dataclasses
import uuid

import flame_hub

from eventually import eventually
from journey import same

PLURALS = {"analysis": "analyses", "registry": "registries"}
# The client calls a few fields otherwise where it changes them.
FIELDS = {"is_entrypoint": "root", "node_type": "type"}
PAGE = 50


@dataclasses.dataclass(frozen=True)
class Kind:
    service: object
    name: str
    model: type
    # What the client asks for along with it and the wire does not have.
    unknown_relations: frozenset = frozenset()
    is_found_by_id: bool = True

    @property
    def plural(self):
        return PLURALS.get(self.name, f"{self.name}s")

    def create(self, *given, **named):
        return self._call(f"create_{self.name}", *given, **named)

    def get(self, record, **named):
        return self._call(f"get_{self.name}", record, **named)

    def find(self, **named):
        return self._call(f"find_{self.plural}", **named)

    def update(self, record, **changes):
        return self._call(f"update_{self.name}", record, **changes)

    def delete(self, record):
        return self._call(f"delete_{self.name}", record)

    def all(self):
        """All there are, a page after the other."""
        records = []
        while True:
            page = self.find(page={"limit": PAGE, "offset": len(records)})
            records += page
            if len(page) < PAGE:
                return records

    def ids(self):
        return {record.id for record in self.all()}

    @property
    def optional_fields(self):
        return flame_hub.get_field_names(self.model)

    @property
    def relations(self):
        names = set(flame_hub.get_includable_names(self.model))
        return names - self.unknown_relations

    def _call(self, method, *given, **named):
        return getattr(self.service, method)(*given, **named)


def made(journey, kind, *given, among, change=None, **named):
    """A record that was looked at in every way, and goes when the journey ends."""
    with journey.step(f"create {kind.name}"):
        record = kind.create(*given, **named)
    journey.afterwards(f"delete {kind.name}", lambda: deleted(kind, record))
    return looked_at(journey, kind, record, among=among, change=change)


def looked_at(journey, kind, record, *, among, change=None):
    with journey.step(f"find {kind.plural}"):
        found(kind, record, among)
    with journey.step(f"sort and page {kind.plural}"):
        in_order(kind, record, among)
    with journey.step(f"get {kind.name}"):
        read(kind, record)
    if change:
        with journey.step(f"update {kind.name}"):
            return changed(kind, record, change)
    return record


def deleted(kind, record):
    kind.delete(record)
    gone(kind, record.id)


def gone(kind, record_id):
    same("What is read of it", kind.get(record_id), None)
    if kind.is_found_by_id:
        same("What is found of it", kind.find(filter={"id": record_id}), [])


def found(kind, record, among):
    everyone = {one.id: one for one in kind.find(filter=among, fields=kind.optional_fields)}
    complete(kind, everyone[record.id], record)
    if kind.is_found_by_id:
        [alone] = kind.find(filter={"id": record.id})
        same("What has its id", alone.id, record.id)
        others = {one.id for one in kind.find(filter={**among, "id": ("!", record.id)})}
        same("All but it", others, everyone.keys() - {record.id})


def in_order(kind, record, among):
    for order in ("ascending", "descending"):
        sort = {"by": "created_at", "order": order}
        whole, meta = kind.find(filter=among, sort=sort, meta=True)
        values = [one.created_at for one in whole]
        same("Their times", values, sorted(values, reverse=order == "descending"))
        same("The total", meta.total, len(whole))
        pages = [
            kind.find(filter=among, sort=sort, page={"limit": 1, "offset": offset})
            for offset in range(len(whole) + 1)
        ]
        same("Its pages", [one.id for page in pages for one in page], [one.id for one in whole])


def read(kind, record):
    complete(kind, kind.get(record, fields=kind.optional_fields), record)
    same("What is read by the id", kind.get(str(record.id)).id, record.id)
    same("What nobody made", kind.get(uuid.uuid4()), None)


def changed(kind, record, change):
    answered = kind.update(record.id, **change)
    shown = {key: value for key, value in change.items() if key not in kind.optional_fields}
    same("What was answered", values_of(answered, shown), shown)
    kept = kind.get(record.id, fields=kind.optional_fields)
    same("What was kept", values_of(kept, change), change)
    return answered


def values_of(record, keys):
    return {key: getattr(record, FIELDS.get(key, key)) for key in keys}


def complete(kind, one, record):
    same("Its id", one.id, record.id)
    wanted = {*kind.relations, *kind.optional_fields}
    same("What is missing", wanted - one.model_fields_set, set())
    for relation in kind.relations:
        related = getattr(one, relation)
        same(f"Its {relation}", related and related.id, getattr(one, f"{relation}_id"))


def ids_of_all(kinds):
    return {kind.name: kind.ids() for kind in kinds}


def nothing_left(kinds, before):
    """Waits until the kinds hold what they held before."""

    def differences():
        return {
            name: (ids - before[name], before[name] - ids)
            for name, ids in ids_of_all(kinds).items()
            if ids != before[name]
        }

    try:
        eventually(lambda: not differences())
    except TimeoutError:
        same("What is left, and what is missing", differences(), {})
