import CliTable from 'cli-table3'
import stringWidth from 'string-width'

import { styled } from './styled.js'

const NO_LINES = {
  'top': '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  'bottom': '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  'left': '',
  'left-mid': '',
  'mid': '',
  'mid-mid': '',
  'right': '',
  'right-mid': '',
  'middle': '  ',
}
const GAP = 2
const NARROWEST = 8

/** Formats rows with optional headings, cut to a width. */
export function tableOf(
  head: readonly string[] | undefined,
  rows: readonly (readonly string[])[],
  width: number
): string {
  const table = new CliTable({
    ...(head && { head: head.map((title) => styled('bold', title)) }),
    chars: NO_LINES,
    style: { 'head': [], 'border': [], 'padding-left': 0, 'padding-right': 0 },
    colWidths: widthsOf(head ? [head, ...rows] : rows, width),
    truncate: '…',
  })
  table.push(...rows.map((row) => [...row]))
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Shrinks the widest column first. */
function widthsOf(lines: readonly (readonly string[])[], width: number): number[] {
  const columns = lines[0] ?? []
  const widths = columns.map((_, column) =>
    Math.max(...lines.map((line) => stringWidth(line[column] ?? '')))
  )
  const all = () => widths.reduce((sum, one) => sum + one, 0) + GAP * (widths.length - 1)
  while (all() > width && Math.max(...widths) > NARROWEST) {
    const widest = widths.indexOf(Math.max(...widths))
    widths[widest] = Math.max(NARROWEST, widths[widest]! - (all() - width))
  }
  return widths
}
