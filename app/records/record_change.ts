import { isDeepStrictEqual } from 'node:util'

import type { Origin } from '#kernel/origin'
import type { ChangeType, RecordChange } from './events.js'
import type { Kind } from './kind.js'
import type { Attributes, MutableAttributes } from './row.js'

/** A record before and after a write. `previous` is missing for a creation, `next` for a deletion. */
export interface WrittenChange {
  readonly type: ChangeType
  readonly previous?: Attributes
  readonly next?: Attributes
}

/** Converts a write into the change that events carry, without secrets. */
export function changeOf(
  kind: Kind,
  origin: Origin,
  { type, previous, next }: WrittenChange
): RecordChange {
  const record = (next ?? previous)!
  return {
    kind: kind.name,
    type,
    id: String(record.id),
    realmId: kind.realmOf(record),
    origin,
    previous: previous && withoutSecrets(kind, previous),
    next: next && withoutSecrets(kind, next),
    replacesSecrets: differInSecrets(kind, previous, next),
  }
}

/** Whether writing `values` would change a record. */
export function hasChanges(previous: Attributes, values: Attributes): boolean {
  return Object.entries(values).some(
    ([name, value]) => !isDeepStrictEqual(value ?? null, previous[name] ?? null)
  )
}

function differInSecrets({ secrets }: Kind, previous?: Attributes, next?: Attributes): boolean {
  const isUpdate = previous !== undefined && next !== undefined
  return isUpdate && secrets.some((name) => previous[name] !== next[name])
}

function withoutSecrets({ secrets }: Kind, values: Attributes): Attributes {
  if (secrets.length === 0) {
    return values
  }
  const open: MutableAttributes = { ...values }
  secrets.forEach((name) => delete open[name])
  return open
}
