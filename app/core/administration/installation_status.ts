import type { Bus } from '#bus/bus'
import { COMMAND_QUEUES, UNUSED_QUEUES } from '#bus/names'
import { findStuckAnalyses, type StuckAnalysis } from '#core/analysis_life/stuck_analyses'
import type { DatabasePool } from '#database/database_pool'
import { openAdoptions, type OpenAdoption } from '#database/is_adopting'
import { enforce } from '#kernel/access'
import type { Origin } from '#kernel/origin'
import { backlogOf } from '#outbox/backlog'
import type { Credential } from './credential.js'
import { findOldNodeSecrets } from './old_node_secrets.js'
import { takenBackups, type TakenBackup } from './taken_backups.js'
import type { Administration } from './administration.js'
import { OPERATOR_ACCESS } from '#auth/operator_access'

export interface SurfaceStatus {
  readonly name: string
  /** Null for a surface of this process. */
  readonly address: string | null
  readonly isReady: boolean
  /** Why it is not ready, or degraded if it is. */
  readonly reasons: readonly string[]
}

interface QueueStatus {
  readonly name: string
  /** Whether the queue has a consumer. Null if the broker is unreachable. */
  readonly isTaken: boolean | null
  /** The number of dead letters. Null if the broker is unreachable. */
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
  /** The newest first. */
  readonly backups: readonly TakenBackup[]
  /** Services whose move from the former platform is not closed. */
  readonly adoptions: readonly OpenAdoption[]
}

interface InstallationStatusDependencies {
  readonly administration: Administration
  readonly bus: Pick<Bus, 'hasConsumers'>
  readonly pool: DatabasePool
  /** The databases with an outbox, by name. */
  readonly databases: ReadonlyMap<string, DatabasePool>
  readonly silenceSeconds: number
  surfaces(): Promise<readonly SurfaceStatus[]>
  /** The keys that sign tokens, if this process has the surface identity. */
  signingKeys(): Promise<readonly Credential[]>
}

/** Reports the state of the installation. */
export class InstallationStatus {
  readonly #dependencies: InstallationStatusDependencies

  constructor(dependencies: InstallationStatusDependencies) {
    this.#dependencies = dependencies
  }

  async read(origin: Origin): Promise<InstallationState> {
    enforce(OPERATOR_ACCESS, origin.actor)
    const { administration, pool, silenceSeconds, surfaces, signingKeys } = this.#dependencies
    const [surfaceStates, queues, outbox, sweeps, stuck, keys, secrets, backups, adoptions] =
      await Promise.all([
        surfaces(),
        this.#readQueues(origin),
        this.#readOutbox(),
        administration.listSweeps(origin),
        findStuckAnalyses(pool, { silenceSeconds }),
        signingKeys(),
        findOldNodeSecrets(pool),
        takenBackups(pool),
        this.#readAdoptions(),
      ])
    const credentials = [...keys, ...secrets]
    const own = { queues, outbox, sweeps, stuck, credentials, backups, adoptions }
    return { surfaces: surfaceStates, ...own }
  }

  /** Services may share a database. */
  async #readAdoptions(): Promise<OpenAdoption[]> {
    const found = await Promise.all([...this.#dependencies.databases.values()].map(openAdoptions))
    return [...new Map(found.flat().map((one) => [one.service, one])).values()]
  }

  /** An unreachable broker is reported among the reasons of the surface. */
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
