import { readFileSync } from 'node:fs'

import type { Dialect } from './dialect.js'

/** The tables of the former platform after its own migrations. */
const LIST = new URL('tables.md', import.meta.url)

interface FormerTable {
  readonly name: string
  readonly columns: readonly string[]
  readonly keys: readonly string[]
}

const TABLE = /^\*\*(\w+)\*\*: (.*)$/
const KEYS = /^\s*((fk|unique) \(.*)$/
const REFERENCE = /^fk \((\w+)\) → (\w+)\(id\) (.*)$/
const UNIQUE = /^unique \((.*)\)$/

/** The tables of a service in order of references. */
export function tablesOf(service: string): FormerTable[] {
  const [, section = ''] = readFileSync(LIST, 'utf8').split(`## ${service}\n`)
  const tables: FormerTable[] = []
  for (const line of section.split('\n## ')[0]!.split('\n')) {
    const [, name, columns] = TABLE.exec(line) ?? []
    const [, keys] = KEYS.exec(line) ?? []
    if (name) {
      tables.push({ name, columns: columns!.split(', '), keys: [] })
    } else if (keys) {
      const table = tables.pop()!
      tables.push({ ...table, keys: keys.split('; ') })
    }
  }
  return inOrder(tables)
}

export function createStatement({ name, columns, keys }: FormerTable, dialect: Dialect): string {
  const parts = [
    ...columns.map((column) => dialect.column(column)),
    'primary key (id)',
    ...keys.flatMap((key) => {
      const [, column, other, removal] = REFERENCE.exec(key) ?? []
      const [, unique] = UNIQUE.exec(key) ?? []
      return column
        ? [`foreign key (${column}) references ${other} (id) ${removal}`]
        : unique
          ? [`unique (${unique})`]
          : []
    }),
  ]
  return `create table ${name} (${parts.join(', ')})`
}

function inOrder(tables: readonly FormerTable[]): FormerTable[] {
  const placed: FormerTable[] = []
  const location = (table: FormerTable) => {
    if (placed.includes(table)) {
      return
    }
    for (const key of table.keys) {
      const other = REFERENCE.exec(key)?.[2]
      tables.filter(({ name }) => name === other && name !== table.name).forEach(location)
    }
    placed.push(table)
  }
  tables.forEach(location)
  return placed
}
