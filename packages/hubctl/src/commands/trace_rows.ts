import type { Output } from '#hubctl/output/output'
import type { Fields } from '#hubctl/platform/pages'
import type { StepResult, TracePart, TraceStep } from './trace_tree.js'

/** A row of the tree with those below it. A request has no duration and no result of its own. */
export interface TraceNode {
  readonly name: string
  readonly startedAt: string
  readonly seconds?: number | null
  readonly result?: StepResult
  readonly children: readonly TraceNode[]
}

/** Shows parts and their steps; the trees begin with the requests that caused the parts. */
export function showTrees(
  output: Output,
  parts: readonly TracePart[],
  trees: readonly TraceNode[]
): void {
  const rows = trees.flatMap((tree) => rowsOf(tree))
  output.records(rows, { kind: 'part', columns: ['began', 'took', 'result', 'step'] })
  const traces = [...new Set(parts.flatMap(({ traceId }) => traceId ?? []))]
  if (traces.length > 0) {
    output.note(`At the collector: ${traces.join(', ')}`)
  }
}

/** Puts parts below their requests. Others are trees of their own. */
export function treesOf(parts: readonly TracePart[]): TraceNode[] {
  const groups = Map.groupBy(parts, (part) => part.requestId ?? part)
  return [...groups].flatMap(([cause, group]) => {
    const nodes = group.map(nodeOfPart)
    return typeof cause === 'string' ? requestTree(cause, nodes) : nodes
  })
}

/** The tree of one request. */
export function requestTree(requestId: string, children: readonly TraceNode[]): TraceNode {
  const inOrder = children.toSorted((one, other) => one.startedAt.localeCompare(other.startedAt))
  return { name: `request ${requestId}`, startedAt: inOrder[0]!.startedAt, children: inOrder }
}

export const nodeOfPart = ({ steps, ...part }: TracePart): TraceNode => ({
  ...part,
  children: steps.map(nodeOfStep),
})

export const nodeOfStep = (step: TraceStep): TraceNode => ({ ...step, children: [] })

function rowsOf(node: TraceNode, branch = '', indent = ''): Fields[] {
  const below = node.children.flatMap((child, index) => {
    const isLast = index === node.children.length - 1
    return rowsOf(child, `${indent}${isLast ? '└─ ' : '├─ '}`, `${indent}${isLast ? '   ' : '│  '}`)
  })
  return [rowOf(node, branch), ...below]
}

const rowOf = ({ name, startedAt, seconds, result }: TraceNode, branch: string): Fields => ({
  began: startedAt.replace('T', ' ').replace(/\.\d+Z$|Z$/, ''),
  took: seconds === undefined || seconds === null ? '' : `${seconds.toFixed(2)} s`,
  result,
  step: `${branch}${name}`,
})
