import type { Fields } from '#hubctl/platform/pages'
import { valueAt } from './value_at.js'

const COLLATOR = new Intl.Collator('en', { numeric: true })

/** Sorts records by an attribute; `-name` is descending. Records without a value come last. */
export function sortedBy(records: readonly Fields[], key: string): readonly Fields[] {
  const isDescending = key.startsWith('-')
  const name = isDescending ? key.slice(1) : key
  return records.toSorted((one, other) => {
    const [left, right] = [valueAt(one, name) ?? null, valueAt(other, name) ?? null]
    if (left === null || right === null) {
      return Number(left === null) - Number(right === null)
    }
    return compared(left, right) * (isDescending ? -1 : 1)
  })
}

function compared(left: unknown, right: unknown): number {
  return typeof left === 'number' && typeof right === 'number'
    ? left - right
    : COLLATOR.compare(String(left), String(right))
}
