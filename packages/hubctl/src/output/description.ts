import type { Fields } from '#hubctl/platform/pages'
import { ageOf } from './age.js'
import { printable } from './printable.js'
import { styled } from './styled.js'
import { wrapText } from './wrap.js'

const TIME = /(At|Since)$/

/** Describes a record with one attribute per line; nested records are indented. */
export function describeRecord(record: Fields, width: number, indent = ''): string {
  const names = Object.keys(record)
  const longest = Math.max(0, ...names.map((name) => name.length)) + 2
  return names
    .map((name) => {
      const label = `${indent}${styled('bold', `${printable(name)}:`)}${' '.repeat(longest - name.length - 1)}`
      const value = isDescribedList(record[name]) ? byName(record[name]) : record[name]
      if (isRecord(value)) {
        return `${label.trimEnd()}\n${describeRecord(value, width, `${indent}  `)}`
      }
      return `${label}${wrapText(textOf(name, value), width - indent.length - longest, indent.length + longest)}`
    })
    .join('\n')
}

function textOf(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') {
    return '-'
  }
  if (typeof value === 'string') {
    return TIME.test(name) ? `${value} (${ageOf(value)})` : printable(value)
  }
  return typeof value === 'object' ? printable(JSON.stringify(value)) : String(value)
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value is a list of records with name and description, which are shown one per line. */
function isDescribedList(value: unknown): value is readonly Fields[] {
  const isDescribed = (one: unknown) => isRecord(one) && 'name' in one && 'description' in one
  return Array.isArray(value) && value.length > 0 && value.every(isDescribed)
}

function byName(records: readonly Fields[]): Fields {
  return Object.fromEntries(records.map(({ name, description }) => [name, description]))
}
