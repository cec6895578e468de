/**
 * Index definitions in the forms that the queries of the platform can use. Each is named after its table and columns, so
 * that a plan tells which one served. The id at the end keeps equals in the order that pages need.
 */
export const index = {
  /** For equality on ids, flags and times, and for sorting by them. */
  value: (table: string, column: string) => tree(table, 'value', [column], `"${column}"`),

  /** For equality on text, which does not look at case. */
  text: (table: string, column: string, ...rest: string[]) =>
    tree(table, 'text', [column, ...rest], `lower("${column}")`, ...rest),

  /** For sorting by text, in the order of its bytes. */
  textOrder: (table: string, column: string) =>
    tree(table, 'order', [column], `"${column}" collate "C"`),

  /** For contains, starts with and ends with. */
  match: (table: string, column: string) =>
    `create index "${table}_${column}_match" on "${table}" using gin ("${column}" gin_trgm_ops)`,

  /** For all that records are looked up by which have a name and one to show; `rest` is what the name is unique in. */
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
