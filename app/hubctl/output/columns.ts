import type { Fields } from '#hubctl/platform/pages'
import { cellOf } from './cell.js'
import { heading } from './heading.js'

/** Columns that matter most come first; the last ones are those that give way where there is no room. */
const RANKS: readonly RegExp[] = [
  /^id$/,
  /^name$/,
  /^(path|message)$/,
  /^(displayName|type|level|refType)$/,
  /[sS]tatus$/,
  /^(online|active|approved|configurationLocked|nodesApproved)$/,
  /^(actorName|host|size|nodes|analyses|user|node|project|analysis|realm|role|permission|client)$/,
  /^createdAt$/,
  /^scope$/,
  /Progress$/,
  /Id$/,
]
const WIDEST = 40
const GAP = 2

/** The attributes of records that are worth a column each, in the order of their columns, as far as there is room for them. */
export function columnsFor(records: readonly Fields[], width: number): string[] {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
  const told = names.filter((name) => rankOf(name) >= 0 && isTold(records, name, names))
  const ranked = told.toSorted((one, other) => rankOf(one) - rankOf(other))
  let room = width
  return ranked.filter((name) => {
    const needed = widthOf(records, name) + GAP
    if (needed > room) {
      return false
    }
    room -= needed
    return true
  })
}

/** An attribute that is null in all records says nothing, and an id says less than the record that it is of. */
function isTold(records: readonly Fields[], name: string, names: readonly string[]): boolean {
  return (
    records.some((record) => (record[name] ?? null) !== null) &&
    !(name.endsWith('Id') && names.includes(name.slice(0, -2)))
  )
}

function widthOf(records: readonly Fields[], name: string): number {
  const widths = records.map((record) => Math.min(WIDEST, cellOf(record[name]).length))
  return Math.max(heading(name).length, ...widths)
}

function rankOf(name: string): number {
  return RANKS.findIndex((pattern) => pattern.test(name))
}
