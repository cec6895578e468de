import { DEFAULT_AUDIT, type Audit } from '#records/audit'
import type { Column } from '#records/column'
import type { RecordChange } from '#records/events'
import type { Kind } from '#records/kind'
import type { Attributes, MutableAttributes } from '#records/row'
import type { ChangeContent } from '#outbox/entry'
import { diffOf, type Diff } from './diff.js'
import { actorContextOf } from './actor_context.js'

/**
 * Converts a change into the content of an outbox entry. `kind` is its declaration; columns that are not shown are
 * omitted.
 */
export function changeContent(change: RecordChange, kind: Kind | undefined): ChangeContent {
  const { previous, next } = change
  const record = (next ?? previous)!
  const realms = realmsIn(record, kind?.audience ?? ['realmId'])
  const diff = previous && next && diffIn(change, kind)
  return {
    kind: change.kind,
    change: change.type,
    id: change.id,
    realmId: change.realmId ?? realms[0] ?? null,
    realms,
    data: shown(record, kind),
    ...(diff && { diff }),
    ...(isLasting(change, diff, kind?.audit) && { isLasting: true as const }),
    doer: actorContextOf(change.origin),
  }
}

function diffIn({ previous, next, origin }: RecordChange, kind: Kind | undefined): Diff {
  const { contentChanged, onBehalfOf } = origin
  return {
    ...diffOf(auditable(previous!, kind), auditable(next!, kind)),
    ...(contentChanged && { contentChanged: { next: contentChanged.join(', '), previous: null } }),
    ...(onBehalfOf && { onBehalfOf: { next: onBehalfOf, previous: null } }),
  }
}

function isLasting(
  { type, next, replacesSecrets, isLasting: isMarkedLasting }: RecordChange,
  diff: Diff | undefined,
  { lasting }: Audit = DEFAULT_AUDIT
): boolean {
  if (lasting === 'all' || replacesSecrets || isMarkedLasting) {
    return true
  }
  const isSet = (column: string) => type === 'created' && (next?.[column] ?? null) !== null
  return lasting.some((column) => diff?.[column] !== undefined || isSet(column))
}

function realmsIn(record: Attributes, columns: readonly string[]): string[] {
  const realms = columns.map((column) => record[column])
  return [...new Set(realms.filter((realm) => typeof realm === 'string'))]
}

type Named = readonly [name: string, column: Column]

const auditableColumns = new WeakMap<Kind, readonly Named[]>()
const shownColumns = new WeakMap<Kind, readonly Named[]>()

/** The attributes that may appear in the audit trail. */
function auditable(record: Attributes, kind: Kind | undefined): Attributes {
  return kind ? pick(record, columnsOf(kind, auditableColumns, isAuditable)) : record
}

/** The attributes that every caller sees. */
function shown(record: Attributes, kind: Kind | undefined): Attributes {
  return kind ? pick(record, columnsOf(kind, shownColumns, isShown)) : record
}

const isOpen = ({ secret, internal }: Column) => !secret && !internal
const isShown = (column: Column) => isOpen(column) && !column.optIn
/** Permanently audited columns appear even if they are internal. */
const isAuditable = (column: Column, name: string, { lasting }: Audit) =>
  isOpen(column) || (!column.secret && lasting !== 'all' && lasting.includes(name))

function columnsOf(
  kind: Kind,
  cache: WeakMap<Kind, readonly Named[]>,
  isWanted: (column: Column, name: string, audit: Audit) => boolean
): readonly Named[] {
  let columns = cache.get(kind)
  if (!columns) {
    columns = Object.entries(kind.columns).filter(([name, column]) =>
      isWanted(column, name, kind.audit)
    )
    cache.set(kind, columns)
  }
  return columns
}

function pick(record: Attributes, columns: readonly Named[]): Attributes {
  const picked: MutableAttributes = {}
  for (const [name, column] of columns) {
    if (record[name] !== undefined) {
      picked[name] = toWire(record[name], column)
    }
  }
  return picked
}

/** Converts times with an offset and JSON in text columns to their wire format. */
function toWire(value: unknown, { type }: Column): unknown {
  if (typeof value === 'string' && type === 'timestamp') {
    return new Date(value).toISOString()
  }
  return typeof value === 'string' && type === 'jsonText' ? JSON.parse(value) : value
}
