import type { Condition, Leaf } from '#query/condition'
import type { Declaration } from '#query/declaration'
import type { Literal } from '#query/scalar'
import type { Bindings } from './bindings.js'
import { equalOperandOf } from './operand.js'

/**
 * Represents "no realm" in maintained totals, since an index lookup does not find null. It is not a valid UUID of any
 * version.
 */
export const NO_REALM = '00000000-0000-0000-0000-00006e6f6e65'

/**
 * Older changes are already consolidated. A transaction id from the future belongs to another server that this database
 * was copied from.
 */
const CONSOLIDATED_BEFORE = `(select case when a.before_transaction_id > pg_snapshot_xmax(pg_current_snapshot()) then '0'::xid8 else a.before_transaction_id end
  from record_totals_consolidated a)`

/**
 * SQL expression that reads the maintained total of a list: of the whole list, or of the realms and groups that the
 * conditions name. Undefined if the conditions need more, so that records must be counted.
 */
export function maintainedTotal(
  { table, totals }: Declaration,
  conditions: readonly Condition[],
  bindings: Bindings
): string | undefined {
  const requested = totals && requestedTotals(conditions, totals)
  if (requested === undefined) {
    return undefined
  }
  const texts = requested.texts.map((text) => `lower(${bindings.bind(text)}::text)`)
  const list = texts.length === 0 ? `'${table}'` : groupOf(table, texts)
  const parts = requested.realms.map(
    (each) => `and k.realm_id = any(${bindings.bind(each)}::uuid[])`
  )
  const filter = [`k.list = ${list}`, ...parts].join(' ')
  return `(select coalesce(sum(kept.records), 0) from (
    select k.records from record_totals k where ${filter}
    union all
    select k.change from record_total_changes k where ${filter} and k.transaction_id >= ${CONSOLIDATED_BEFORE}) kept)`
}

/** SQL expression of the name of a group; texts must be in lower case. */
export const groupOf = (table: string, texts: readonly string[]) =>
  [`'${table}'`, ...texts].join(` || ':' || `)

/** The realms and group values that conditions name; undefined if they name anything else. */
function requestedTotals(
  conditions: readonly Condition[],
  { realm, groups = [] }: NonNullable<Declaration['totals']>
): { realms: string[][]; texts: string[] } | undefined {
  const all = conditions.flatMap(flattened)
  const found = groups.map((name) => all.filter((each) => isText(each, name)))
  const texts = found.every(({ length }) => length === 1) ? found.flat() : []
  const others = all.filter((each) => !texts.some((text) => text === each))
  const realms = requestedRealms(others, realm)
  return realms && { realms, texts: texts.map(({ literals }) => literals[0]!.text) }
}

const flattened = (condition: Condition): Condition[] =>
  condition.kind === 'and' ? condition.conditions.flatMap(flattened) : [condition]

function isText(condition: Condition, name: string): condition is Leaf {
  return (
    condition.kind === 'leaf' &&
    condition.op === 'eq' &&
    condition.path.length === 0 &&
    condition.name === name &&
    condition.literals[0]!.value !== null &&
    equalOperandOf('text', condition.literals[0]!) !== undefined
  )
}

/** The realms of each condition; undefined if a condition concerns anything else. */
function requestedRealms(
  conditions: readonly Condition[],
  realm: string | undefined
): string[][] | undefined {
  const requested: string[][] = []
  for (const condition of conditions) {
    const realms = isAbout(condition, realm) && condition.literals.flatMap(partOf)
    if (!realms || realms.includes(NO_REALM_ITSELF)) {
      return undefined
    }
    requested.push(realms)
  }
  return requested
}

function isAbout(condition: Condition, realm: string | undefined): condition is Leaf {
  return (
    condition.kind === 'leaf' &&
    (condition.op === 'eq' || condition.op === 'in') &&
    condition.path.length === 0 &&
    condition.name === realm
  )
}

const NO_REALM_ITSELF = ''

/** The key of a realm in the totals; empty for values that no record can have. */
function partOf(literal: Literal): string[] {
  if (literal.value === null) {
    return [NO_REALM]
  }
  const operand = equalOperandOf('uuid', literal)
  if (operand === undefined) {
    return []
  }
  return [digitsOf(literal.text) === digitsOf(NO_REALM) ? NO_REALM_ITSELF : literal.text]
}

const digitsOf = (uuid: string) => uuid.replaceAll('-', '').toLowerCase()
