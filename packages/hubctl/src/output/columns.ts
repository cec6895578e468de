import stringWidth from 'string-width'

import type { Fields } from '#hubctl/platform/pages'
import { cellOf } from './cell.js'
import { heading } from './heading.js'

const ID = /^id$/
const STATUS = /[sS]tatus$/

/** Columns in order of importance; the last ones are dropped if the table is too wide. */
const RANKS: readonly RegExp[] = [
  /^name$/,
  /^(path|message)$/,
  /^(type|level|refType)$/,
  /^buildStatus$/,
  /^distributionStatus$/,
  STATUS,
  /^(online|active|approved|configurationLocked|nodesApproved)$/,
  /^(since|oldestMessage)$/,
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

/** The most important attributes that fit into a width, in column order. */
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

/** All informative attributes, in column order. */
export function orderedColumns(records: readonly Fields[]): string[] {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
  const isNamed = names.includes('name') || names.includes('path')
  const position = (name: string) => (ID.test(name) && !isNamed ? -1 : rankOf(name))
  return names
    .filter((name) => isInformative(records, name, names))
    .toSorted((one, other) => position(one) - position(other))
}

/** Skips attributes that are null everywhere, except statuses, and ids whose record is shown as well. */
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

/** Attributes without a pattern come last. */
function rankOf(name: string): number {
  const rank = RANKS.findIndex((pattern) => pattern.test(name))
  return rank < 0 ? RANKS.length : rank
}
