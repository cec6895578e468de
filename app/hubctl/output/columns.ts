import stringWidth from 'string-width'

import type { Fields } from '#hubctl/platform/pages'
import { cellOf } from './cell.js'
import { heading } from './heading.js'

const ID = /^id$/
const STATUS = /[sS]tatus$/

/** Columns that matter most come first; the last ones are those that give way where there is no room. */
const RANKS: readonly RegExp[] = [
  /^name$/,
  /^(path|message)$/,
  /^(type|level|refType)$/,
  /^buildStatus$/,
  /^distributionStatus$/,
  STATUS,
  /^(online|active|approved|configurationLocked|nodesApproved)$/,
  /^displayName$/,
  /^(actorName|host|size|nodes|analyses|user|node|project|analysis|realm|role|permission|client)$/,
  ID,
  /^createdAt$/,
  /^scope$/,
  /Progress$/,
  /Id$/,
]
const WIDEST = 40
const GAP = 2

/** The attributes of records that are worth a column each, in the order of their columns, as far as there is room for them. */
export function columnsFor(records: readonly Fields[], width: number): string[] {
  const ordered = orderedColumns(records)
  const ranked = ordered.filter((name) => rankOf(name) < RANKS.length)
  let remaining = width
  return (ranked.length > 0 ? ranked : ordered).filter((name) => {
    const columnSpace = columnWidth(records, name) + GAP
    if (columnSpace > remaining) {
      return false
    }
    remaining -= columnSpace
    return true
  })
}

/** All attributes of records that say something, in the order of their columns. */
export function orderedColumns(records: readonly Fields[]): string[] {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
  const isNamed = names.includes('name') || names.includes('path')
  const position = (name: string) => (ID.test(name) && !isNamed ? -1 : rankOf(name))
  return names
    .filter((name) => isInformative(records, name, names))
    .toSorted((one, other) => position(one) - position(other))
}

/** An attribute that is null in all records says nothing, unless it is a status; an id says less than the record that it is of. */
function isInformative(
  records: readonly Fields[],
  name: string,
  names: readonly string[]
): boolean {
  return (
    (STATUS.test(name) || records.some((record) => (record[name] ?? null) !== null)) &&
    !(name.endsWith('Id') && names.includes(name.slice(0, -2)))
  )
}

function columnWidth(records: readonly Fields[], name: string): number {
  const widths = records.map((record) => Math.min(WIDEST, stringWidth(cellOf(record[name]))))
  return Math.max(heading(name).length, ...widths)
}

/** Those that no pattern names come last. */
function rankOf(name: string): number {
  const rank = RANKS.findIndex((pattern) => pattern.test(name))
  return rank < 0 ? RANKS.length : rank
}
