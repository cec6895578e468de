import { CATALOGUE } from '#doctor/finding'

import { table } from './reference/tables.js'

const MARK = /<!-- findings -->[^]*?<!-- end -->/g

/** Fills the table of findings between its marks in a page. */
export function withFindings(page: string): string {
  const rows = Object.entries(CATALOGUE).map(([code, { severity, means, remedy }]) => [
    `\`${code}\``,
    severity,
    `${means}.`,
    remedy,
  ])
  const found = table(['Code', 'Severity', 'What is wrong', 'What to do'], rows)
  return page.replaceAll(MARK, () =>
    ['<!-- findings -->', '', found, '', '<!-- end -->'].join('\n')
  )
}
