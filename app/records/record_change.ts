import { isDeepStrictEqual } from 'node:util'

import type { Origin } from '#kernel/origin'
import type { ChangeType, RecordChange } from '#records/events'
import type { Kind, Values } from '#records/kind'

/** A record before and after it was written; one of the two is missing where it was created or deleted. */
export interface WrittenChange {
  readonly type: ChangeType
  readonly previous?: Values
  readonly next?: Values
}

/**
 * What a write of a record is to those who hear of it. Secrets stay behind.
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
    id: record.id as string,
    realmId: kind.realm === undefined ? null : (record[kind.realm] as string | null),
    origin,
    previous: previous && withoutSecrets(kind, previous),
    next: next && withoutSecrets(kind, next),
    replacesSecrets: differInSecrets(kind, previous, next),
  }
}

/** Whether something would be another after `values` are written into a record that is as `previous` says. */
export function changesSomething(previous: Values, values: Values): boolean {
  return Object.entries(values).some(
    ([name, value]) => !isDeepStrictEqual(value ?? null, previous[name] ?? null)
  )
}

function differInSecrets({ secrets }: Kind, previous?: Values, next?: Values): boolean {
  const isUpdate = previous !== undefined && next !== undefined
  return isUpdate && secrets.some((name) => previous[name] !== next[name])
}

function withoutSecrets({ secrets }: Kind, values: Values): Values {
  if (secrets.length === 0) {
    return values
  }
  const open = { ...values }
  secrets.forEach((name) => delete open[name])
  return open
}
