import type { LineFrom, LogLine } from './log_sources.js'

/** How a step ended; `open` if nothing says that it did. */
export type StepResult = 'done' | 'failed' | 'stopped' | 'open'

/** A step of a trace. Its name may quote what others wrote. */
export interface TraceStep {
  readonly name: string
  readonly startedAt: string
  readonly seconds: number | null
  readonly result: StepResult
}

/** A job of a worker, or the run at a node, with its steps in the order in which they began. */
export interface TracePart extends TraceStep {
  /** The request that caused it; null for a run, and if its command names none. */
  readonly requestId: string | null
  /** The record that it was done for; null for a run. */
  readonly record: { readonly kind: string; readonly id: string } | null
  /** The trace at the collector, if the part was recorded there. */
  readonly traceId: string | null
  readonly steps: readonly TraceStep[]
}

interface PartLines {
  readonly name: string
  readonly isRun: boolean
  readonly lines: LogLine[]
}

/** The components of a worker, by what they do. */
const JOBS: Readonly<Record<string, string>> = {
  analysisBuilder: 'build',
  analysisDistributor: 'distribution',
  masterImageBuilder: 'build',
  masterImageSynchronizer: 'synchronization of the master images',
}

/** The codes of lines by which a node says where a run is. */
const BEGINNING = 'pull'
const RUN_CODES: ReadonlySet<string> = new Set([BEGINNING, 'start', 'stopped', 'failed', 'end'])

/** Puts the log lines of an analysis, which are in order of time, together to its parts and their steps. */
export function traceOf(lines: readonly LineFrom[]): TracePart[] {
  const parts = new Map<string, PartLines>()
  const runs = new Map<string, number>()
  for (const { line, node } of lines) {
    const { component, command, run = '', code = '', request_id: requestId = '' } = line.labels
    if (node !== undefined && RUN_CODES.has(code)) {
      const number = (runs.get(node) ?? 0) + (code === BEGINNING ? 1 : 0)
      runs.set(node, number)
      addTo(parts, `${node} ${number}`, { name: `run at ${node}`, isRun: true, line })
    } else if (component !== undefined && command !== undefined) {
      const job = JOBS[component] ?? component
      const name = command === 'execute' ? job : `${command} of the ${job}`
      addTo(parts, [component, command, run, requestId].join(' '), { name, isRun: false, line })
    }
  }
  return [...parts.values()].map((part) => (part.isRun ? runOf(part) : jobOf(part)))
}

function addTo(
  parts: Map<string, PartLines>,
  key: string,
  { name, isRun, line }: Omit<PartLines, 'lines'> & { readonly line: LogLine }
): void {
  const part = parts.get(key) ?? { name, isRun, lines: [] }
  part.lines.push(line)
  parts.set(key, part)
}

/** Steps of a job say when they begin and end. If it fails, the last one says why. */
function jobOf({ name, lines }: PartLines): TracePart {
  const steps: TraceStep[] = []
  for (const { time, message, labels } of lines) {
    const { step, stepState, event } = labels
    if (event !== undefined) {
      steps.push({ name: message, startedAt: time, seconds: null, result: 'failed' })
    } else if (step !== undefined && stepState === 'started') {
      steps.push({ name: step, startedAt: time, seconds: null, result: 'open' })
    } else if (step !== undefined) {
      const index = steps.findIndex((one) => one.name === step && one.result === 'open')
      const startedAt = steps[index]?.startedAt ?? time
      const ended = { name: step, startedAt, seconds: secondsBetween(startedAt, time) }
      const result = stepState === 'failed' ? 'failed' : 'done'
      steps.splice(index < 0 ? steps.length : index, 1, { ...ended, result })
    }
  }
  const hasFailed = lines.some(({ labels }) => labels.event !== undefined)
  const isOpen = steps.some(({ result }) => result === 'open')
  return partOf(name, lines, steps, hasFailed ? 'failed' : isOpen ? 'open' : 'done')
}

/** Steps of a run last until the next one begins. */
function runOf({ name, lines }: PartLines): TracePart {
  const last = lines.at(-1)!
  const result = last.labels.code === 'end' ? resultIn(last.message) : 'open'
  const steps = lines.map(({ time, message, labels }, index): TraceStep => {
    const next = lines[index + 1]
    const isProblem = labels.code === 'failed' || labels.code === 'stopped'
    const seconds = next ? secondsBetween(time, next.time) : null
    const ended = next || result !== 'open' ? 'done' : 'open'
    const state = isProblem ? (labels.code as StepResult) : ended
    return { name: message, startedAt: time, seconds, result: state }
  })
  return partOf(name, lines, steps, result)
}

/** The last line of a run names the status that the node reported. */
function resultIn(message: string): StepResult {
  const [, status] = /(failed|stopped)$/.exec(message) ?? []
  return (status as StepResult | undefined) ?? 'done'
}

function partOf(
  name: string,
  lines: readonly LogLine[],
  steps: readonly TraceStep[],
  result: StepResult
): TracePart {
  const startedAt = lines[0]!.time
  const seconds = result === 'open' ? null : secondsBetween(startedAt, lines.at(-1)!.time)
  const { request_id: requestId = null, refType, refId } = lines[0]!.labels
  const record = refType !== undefined && refId !== undefined ? { kind: refType, id: refId } : null
  const traceId = lines.find(({ labels }) => labels.trace_id)?.labels.trace_id ?? null
  return { name, startedAt, seconds, result, requestId, record, traceId, steps }
}

const secondsBetween = (from: string, to: string): number =>
  Math.max(0, Date.parse(to) - Date.parse(from)) / 1000
