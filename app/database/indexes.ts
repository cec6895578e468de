/**
 * Index definitions that the query compiler can use. Names consist of table, columns and use, so that query plans are
 * readable. The trailing id makes the order of equal keys stable across pages.
 */
export const index = {
  /** For equality and sorting on ids, flags and times. */
  value: (table: string, column: string) => tree(table, 'value', [column], `"${column}"`),

  values: (table: string, ...columns: readonly string[]) =>
    columns.map((column) => index.value(table, column)),

  /** For statements of ours that need no order. */
  plain: (table: string, ...columns: readonly string[]) =>
    columns.map((column) => `create index ${table}_${column} on ${table} (${column})`),

  /** For case-insensitive equality on text. */
  text: (table: string, column: string, ...rest: string[]) =>
    tree(table, 'text', [column, ...rest], `lower("${column}")`, ...rest),

  /** For sorting by text in byte order. */
  textOrder: (table: string, column: string) =>
    tree(table, 'order', [column], `"${column}" collate "C"`),

  /** For contains, startsWith and endsWith. */
  match: (table: string, column: string) =>
    `create index "${table}_${column}_match" on "${table}" using gin ("${column}" gin_trgm_ops)`,

  /** For records with a name and a display name; `rest` is the scope of the name's uniqueness. */
  named: (table: string, ...rest: string[]) => [
    index.text(table, 'name', ...rest),
    index.match(table, 'name'),
    index.textOrder(table, 'name'),
    index.text(table, 'display_name'),
    index.match(table, 'display_name'),
  ],
}

function tree(table: string, use: string, columns: string[], ...keys: string[]): string {
  const name = `${table}_${columns.join('_')}_${use}`
  return `create index "${name}" on "${table}" (${[...keys, 'id'].join(', ')})`
}
