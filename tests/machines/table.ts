import { readFile, writeFile } from 'node:fs/promises'

import type { Round } from './rounds.js'

const KINDS = ['writes', 'messages', 'uploads'] as const
const HEAD = ['What breaks', 'Rounds', 'Lost', 'Writes', 'Messages', 'Uploads']
const SECOND = 1_000

/** A table of breaks: how often, what was lost, and the seconds without an acknowledged request, median and worst. */
export function tableOf(rounds: readonly Round[]): string {
  const rows = [HEAD, ...byName(rounds).map(cellsOf)]
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)))
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const [head, ...others] = rows.map((cells) =>
    line(cells.map((cell, n) => padded(cell, n, widths)))
  )
  const rule = widths.map((width, n) => (n === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [head, line(rule), ...others].join('\n')
}

/** Texts begin at the left, figures end at the right. */
const padded = (cell: string, column: number, widths: readonly number[]) =>
  column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)

/** The rounds of each break, in the order of their names. */
function byName(rounds: readonly Round[]): Round[][] {
  const names = [...new Set(rounds.map(({ name }) => name))].sort()
  return names.map((name) => rounds.filter((round) => round.name === name))
}

function cellsOf(rounds: readonly Round[]): string[] {
  const lost = rounds.filter(({ problems }) => problems.length > 0).length
  const times = KINDS.map((kind) => medianAndWorst(rounds.map(({ outages }) => outages[kind])))
  return [rounds[0]!.name, `${rounds.length}`, `${lost}`, ...times]
}

function medianAndWorst(milliseconds: readonly number[]): string {
  const sorted = milliseconds.toSorted((one, other) => one - other)
  const [median, worst] = [sorted[Math.floor((sorted.length - 1) / 2)]!, sorted.at(-1)!]
  return [median, worst].map((ms) => (ms / SECOND).toFixed(1)).join(' / ')
}

/** Replaces what is between the markers of a page. */
export async function writeBetweenMarkers(file: URL, marker: string, text: string): Promise<void> {
  const page = await readFile(file, 'utf8')
  const [start, end] = [`<!-- ${marker} -->`, '<!-- end -->']
  const from = page.indexOf(start) + start.length
  const to = page.indexOf(end, from)
  if (from < start.length || to < 0) {
    throw new Error(`${file.pathname} has no ${start} before ${end}`)
  }
  await writeFile(file, `${page.slice(0, from)}\n\n${text}\n\n${page.slice(to)}`)
}
