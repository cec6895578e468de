import { ageOf } from '#hubctl/output/age'
import { printable } from '#hubctl/output/printable'
import { styled } from '#hubctl/output/styled'

/** How the execution of an analysis stands at one node, as the hub explains it. */
export interface NodeExecution {
  readonly nodeId: string
  readonly approved: boolean
  readonly status: string | null
  readonly since: string
  readonly progress: number | null
  readonly awaySince: string | null
  readonly message?: string
  readonly output?: readonly string[]
}

/** The end of the error output at a node where it failed, below its line. */
export const outputLines = ({ output = [] }: NodeExecution): string[] =>
  output.map((line) => `    ${printable(line)}`)

/** One line about a node: what it does, since when, and its last message. */
export function executionLine(
  { nodeId, approved, status, since, progress, awaySince, message }: NodeExecution,
  names: ReadonlyMap<string, string>
): string {
  const name = printable(names.get(nodeId) ?? nodeId)
  const share = progress === null || status !== 'executing' ? '' : `, ${progress} %`
  const waiting = approved ? 'has not started' : 'waits for the approval of its realm'
  const state = `${status ?? waiting} for ${ageOf(since)}${share}`
  const away = awaySince === null ? '' : styled('red', ` (away for ${ageOf(awaySince)})`)
  const reported = message === undefined ? '' : `: ${printable(message)}`
  return `${name}: ${state}${away}${reported}`
}
