import { setTimeout as pause } from 'node:timers/promises'

import type { Draw } from '#tests/chaos/draw'
import { eventually } from '#tests/helpers/eventually'
import { tracesOf, type Traces } from '#tests/helpers/node/machine_traces'
import { isAlive } from '#tests/services/servers/process_table'
import type { SoakedSandbox } from './soaked_sandbox.js'
import type { Study } from './study.js'

export const VICTIMS = ['node', 'hub', 'worker', 'container'] as const
export type Victim = (typeof VICTIMS)[number]

/** What was killed, and the analyses that it takes along. */
export interface Kill {
  readonly what: string
  readonly lost: readonly Study[]
}

/** Within the build, while the hub is needed most, and while containers run. */
const LATEST_MS: Readonly<Record<Victim, number>> = {
  worker: 3_000,
  hub: 15_000,
  node: 6_000,
  container: 6_000,
}
const LONGEST_PAUSE_MS = 3_000
const RUNNING_MS = 180_000

export interface DrillOptions {
  readonly sandbox: SoakedSandbox
  readonly studies: readonly Study[]
  readonly draw: Draw
  /** What was seen of each analysis so far, by its id. */
  readonly traces: Map<string, Traces>
}

/** Kills a part with SIGKILL at a moment of chance, and starts it again after a pause of chance. */
export async function killOne(victim: Victim, options: DrillOptions): Promise<Kill> {
  const { sandbox, draw } = options
  const after = draw.between(0, LATEST_MS[victim])
  const pauseMs = draw.between(0, LONGEST_PAUSE_MS)
  const name = draw.shuffled(['north', 'south', 'center'])[0]!
  if (victim === 'container') {
    return killContainer(options, after)
  }
  if (victim === 'node') {
    await running(options)
  }
  await pause(after)
  note(options)
  const part = victim === 'node' ? name : victim
  await sandbox.kill(part)
  await pause(pauseMs)
  await sandbox.start(part)
  // Whatever the node had begun is lost; the others hear of it.
  return { what: part, lost: victim === 'node' ? options.studies : [] }
}

async function killContainer(options: DrillOptions, after: number): Promise<Kill> {
  await running(options)
  await pause(after)
  const study = await running(options)
  const pids = note(options).get(study.id)!.pids.filter(isAlive)
  const pid = options.draw.shuffled(pids)[0]
  if (pid !== undefined && isAlive(pid)) {
    process.kill(pid, 'SIGKILL')
  }
  return { what: `container of ${study.kind}`, lost: [study] }
}

/** An analysis with a container. */
const running = ({ studies, draw }: DrillOptions): Promise<Study> =>
  eventually(
    () => draw.shuffled(studies).find(({ id }) => tracesOf(id).pids.length > 0),
    RUNNING_MS
  )

/** Adds what can be seen of the analyses now. */
export function note({ studies, traces }: DrillOptions): Map<string, Traces> {
  for (const { id } of studies) {
    const { pids, namespaces } = tracesOf(id)
    const before = traces.get(id)
    traces.set(id, {
      pids: [...new Set([...(before?.pids ?? []), ...pids])],
      namespaces: new Set([...(before?.namespaces ?? []), ...namespaces]),
    })
  }
  return traces
}
