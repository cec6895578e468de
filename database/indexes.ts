/**
 * Index definitions in the forms that the queries of the platform can use. Each names its table and columns, so that a
 * plan tells which one served.
 */
export const index = {
  /** For equality on ids, flags and the like. */
  value: (table: string, column: string) => create(table, [column], 'value', `(${quoted(column)})`),

  /** For equality on text, which does not look at case. */
  text: (table: string, column: string, ...rest: string[]) =>
    create(
      table,
      [column, ...rest],
      'text',
      `(lower(${quoted(column)}), ${list([...rest, 'id'])})`
    ),

  /** For equality on text that may be too long for a tree. */
  longText: (table: string, column: string) =>
    create(table, [column], 'text', `using hash (lower(${quoted(column)}))`),

  /** For sorting by text, in the order of its bytes, equals in the order of their ids. */
  textOrder: (table: string, column: string) =>
    create(table, [column], 'order', `(${quoted(column)} collate "C", id)`),

  /** For sorting by anything else, equals in the order of their ids. */
  order: (table: string, column: string) =>
    create(table, [column], 'order', `(${quoted(column)}, id)`),

  /** For contains, starts with and ends with. */
  match: (table: string, column: string) =>
    create(table, [column], 'match', `using gin (${quoted(column)} gin_trgm_ops)`),
}

function create(table: string, columns: string[], use: string, definition: string): string {
  const name = `${table}_${columns.join('_')}_${use}`.slice(0, 63)
  const [method, rest] = definition.startsWith('using')
    ? [definition.slice(0, definition.indexOf('(')), definition.slice(definition.indexOf('('))]
    : ['', definition]
  return `create index "${name}" on "${table}" ${method} ${rest}`
}

const quoted = (column: string): string => `"${column}"`
const list = (columns: string[]): string => columns.map(quoted).join(', ')
