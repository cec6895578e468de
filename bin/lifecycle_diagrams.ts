import { COMMANDS, type Command, type CommandName } from '#core/analysis_life/commands'
import { GUARDS } from '#core/analysis_life/guards'
import { REPORTS, STARTABLE, type Transition } from '#core/analysis_life/processes'

import { code, table } from './reference/tables.js'

const MARK = /<!-- (commands|process) -->[^]*?<!-- end -->/g

/** Fills the diagrams of the analysis lifecycle between their marks in a page. */
export function withLifeDiagrams(page: string): string {
  return page.replaceAll(MARK, (_, name: 'commands' | 'process') =>
    [
      `<!-- ${name} -->`,
      '',
      name === 'commands' ? commandTable() : processDiagram(),
      '',
      '<!-- end -->',
    ].join('\n')
  )
}

function commandTable(): string {
  const rows = (Object.entries(COMMANDS) as [CommandName, Command][]).map(([name, { guards }]) => [
    code(name),
    guards.map((guard) => code(GUARDS[guard].code)).join(', ') || 'none',
  ])
  return table(['Command', 'Refused with'], rows)
}

/** Builds and distributions have the same states. */
function processDiagram(): string {
  const started = STARTABLE.map((status) => `  ${status ?? '[*]'} --> starting: start`)
  const reported = Object.entries(REPORTS).flatMap(([name, { from, to }]: [string, Transition]) =>
    to === undefined || to === 'as found'
      ? []
      : from.flatMap((status) => (status === to ? [] : `  ${status} --> ${to}: ${name}`))
  )
  return ['```mermaid', 'stateDiagram-v2', ...started, ...reported, '```'].join('\n')
}
