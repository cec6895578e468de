import { printableLines } from './printable.js'

/** Formats rows as CSV (RFC 4180). */
export function csvOf(rows: readonly (readonly unknown[])[]): string {
  return rows.map((row) => row.map(fieldOf).join()).join('\n')
}

function fieldOf(value: unknown): string {
  const text = printableLines(textOf(value))
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) {
    return ''
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
