import type { Bus } from '#bus/bus'
import { COMMAND_QUEUES, UNUSED_QUEUES } from '#bus/names'
import type { DatabasePool } from '#database/database_pool'
import { enforce } from '#kernel/access'
import type { Origin } from '#kernel/origin'
import { backlogOf } from '#outbox/backlog'
import type { Credential } from './credential.js'
import { findOldNodeSecrets } from './old_node_secrets.js'
import { findStuckAnalyses, type StuckAnalysis } from './stuck_analyses.js'
import { type Administration, OPERATOR_ACCESS } from './administration.js'

export interface SurfaceStatus {
  readonly name: string
  /** Null for one of this process. */
  readonly address: string | null
  readonly isReady: boolean
  /** What it lacks: where it is ready, things without which most requests are answered. */
  readonly reasons: readonly string[]
}

interface QueueStatus {
  readonly name: string
  /** Null where that cannot be told, since the broker is away. */
  readonly isTaken: boolean | null
  /** Null as well: without the broker, nobody knows. */
  readonly dead: number | null
}

interface OutboxStatus {
  readonly database: string
  readonly depth: number
  readonly lagSeconds: number
}

interface SweepStatus {
  readonly name: string
  readonly isRunning: boolean
}

export interface InstallationState {
  readonly surfaces: readonly SurfaceStatus[]
  readonly queues: readonly QueueStatus[]
  readonly outbox: readonly OutboxStatus[]
  readonly sweeps: readonly SweepStatus[]
  readonly stuck: readonly StuckAnalysis[]
  readonly credentials: readonly Credential[]
}

interface InstallationStatusDependencies {
  readonly administration: Administration
  readonly bus: Pick<Bus, 'hasConsumers'>
  readonly pool: DatabasePool
  /** The databases with an outbox, by what they are called. */
  readonly databases: ReadonlyMap<string, DatabasePool>
  readonly silenceSeconds: number
  surfaces(): Promise<readonly SurfaceStatus[]>
  /** What signs tokens, where that is of this process. */
  signingKeys(): Promise<readonly Credential[]>
}

/** How the installation is, in one look. */
export class InstallationStatus {
  readonly #dependencies: InstallationStatusDependencies

  constructor(dependencies: InstallationStatusDependencies) {
    this.#dependencies = dependencies
  }

  async read(origin: Origin): Promise<InstallationState> {
    enforce(OPERATOR_ACCESS, origin.actor)
    const { administration, pool, silenceSeconds, surfaces, signingKeys } = this.#dependencies
    const [surfaceStates, queues, outbox, sweeps, stuck, keys, secrets] = await Promise.all([
      surfaces(),
      this.#readQueues(origin),
      this.#readOutbox(),
      administration.listSweeps(origin),
      findStuckAnalyses(pool, silenceSeconds),
      signingKeys(),
      findOldNodeSecrets(pool),
    ])
    const credentials = [...keys, ...secrets]
    return { surfaces: surfaceStates, queues, outbox, sweeps, stuck, credentials }
  }

  /** Why a broker is away stands among the reasons of the surface. */
  async #readQueues(origin: Origin): Promise<QueueStatus[]> {
    const { administration, bus } = this.#dependencies
    const counts = await administration.countDeadLetters(origin).catch(() => undefined)
    const names = new Set([...Object.values<string>(COMMAND_QUEUES), ...(counts?.keys() ?? [])])
    return Promise.all(
      [...names].map(async (name) => ({
        name,
        isTaken: UNUSED_QUEUES.has(name) ? null : ((await bus.hasConsumers(name)) ?? null),
        dead: counts === undefined ? null : (counts.get(name) ?? 0),
      }))
    )
  }

  #readOutbox(): Promise<OutboxStatus[]> {
    return Promise.all(
      [...this.#dependencies.databases].map(async ([database, pool]) => {
        const { depth, seconds: lagSeconds } = await backlogOf(pool)
        return { database, depth, lagSeconds }
      })
    )
  }
}
