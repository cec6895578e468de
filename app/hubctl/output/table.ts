import CliTable from 'cli-table3'

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

/** Rows under their headings, cut to a width where there is one. */
export function tableOf(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined
): string {
  const table = new CliTable({
    head: head.map((title) => styled('bold', title)),
    chars: NO_LINES,
    style: { 'head': [], 'border': [], 'padding-left': 0, 'padding-right': 0 },
    colWidths: widthsOf(head, rows, width),
    truncate: '…',
  })
  table.push(...rows.map((row) => [...row]))
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

/** The widest column gives way first. */
function widthsOf(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width = Infinity
): number[] {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0))
  )
  const all = () => widths.reduce((sum, one) => sum + one, 0) + GAP * (widths.length - 1)
  while (all() > width && Math.max(...widths) > NARROWEST) {
    const widest = widths.indexOf(Math.max(...widths))
    widths[widest] = Math.max(NARROWEST, widths[widest]! - (all() - width))
  }
  return widths
}
