import { isDeepStrictEqual } from 'node:util'

import type { Origin } from '#kernel/origin'
import type { ChangeType, RecordChange } from './events.js'
import type { Kind } from './kind.js'
import type { Attributes, MutableAttributes } from './row.js'

/** A record before and after it was written; one of the two is missing where it was created or deleted. */
export interface WrittenChange {
  readonly type: ChangeType
  readonly previous?: Attributes
  readonly next?: Attributes
}

/**
 * What a write of a record is to those who receive it. Secrets stay behind.
 */
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

/** Whether something would be another after `values` are written into a record that is as `previous` says. */
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
