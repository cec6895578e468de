/** Escapes a text for a cell of a Markdown table. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim()

/** A Markdown table in the format of prettier. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(cell))
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => widthOf(row[column]!))))
  const line = (row: readonly string[]) =>
    `| ${row.map((text, column) => text.padEnd(widths[column]! + text.length - widthOf(text))).join(' | ')} |`
  const [first, ...others] = cells
  const rule = line(widths.map((width) => '-'.repeat(width)))
  return [line(first!), rule, ...others.map(line)].join('\n')
}

const widthOf = (text: string): number => [...text].length

export const code = (text: string): string => `\`${text}\``
