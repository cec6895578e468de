import type { SecurityAudit } from '#audit/security_audit'
import { OPERATOR_ACCESS } from '#auth/operator_access'
import type { DeadLetter, DeadLetters } from '#bus/dead_letters'
import { runAsLeader } from '#jobs/leader_election'
import type { LongSweep, Sweep, SweepResult } from '#jobs/sweep'
import { isAdvisoryLockGranted } from '#database/advisory_locks'
import type { DatabasePool } from '#database/database_pool'
import { enforce } from '#kernel/access'
import { EntityNotFound } from '#kernel/failures'
import type { Origin } from '#kernel/origin'
import { settleDeadLetters } from '#outbox/settle_dead_letters'

const MAX_LETTERS_PER_QUEUE = 1_000
/** The time limit of a sweep while a caller waits. The rest is done by its schedule or by the next call. */
const TURN_TIMEOUT_MS = 20_000

/** A process that runs a sweep holds the advisory lock of `runAsLeader`. */
const SELECT_RUNNING = `
  select name, exists (
    select from pg_locks where ${isAdvisoryLockGranted(`hashtextextended('sweep:' || name, 0)`)}
  ) as "isRunning"
  from unnest($1::text[]) as name order by name`

interface AdministrationDependencies {
  /** The queues of the surfaces in this process. */
  readonly queues: readonly string[]
  readonly letters: DeadLetters
  readonly audit: Pick<SecurityAudit, 'deadLetters'>
  readonly sweeps: readonly (Sweep | LongSweep)[]
  /** The database whose advisory locks coordinate the sweeps of all processes. */
  readonly pool: DatabasePool
}

/** Lets operators manage dead letters and run sweeps without a shell. */
export class Administration {
  readonly #dependencies: AdministrationDependencies

  constructor(dependencies: AdministrationDependencies) {
    this.#dependencies = dependencies
  }

  /** Lists the oldest dead letters of each queue. */
  async listDeadLetters({ actor }: Origin): Promise<DeadLetter[]> {
    enforce(OPERATOR_ACCESS, actor)
    const { letters, queues } = this.#dependencies
    const found = await Promise.all(
      queues.map((queue) => letters.list(queue, MAX_LETTERS_PER_QUEUE))
    )
    return found.flat()
  }

  /** Counts the dead letters of each queue. */
  async countDeadLetters({ actor }: Origin): Promise<ReadonlyMap<string, number>> {
    enforce(OPERATOR_ACCESS, actor)
    return this.#dependencies.letters.counts(this.#dependencies.queues)
  }

  /** Returns a dead letter to its queue. */
  async redrive(origin: Origin, id: string): Promise<DeadLetter> {
    enforce(OPERATOR_ACCESS, origin.actor)
    return this.#settle(origin, 'redrive', id)
  }

  /** Deletes a dead letter. */
  async drop(origin: Origin, id: string): Promise<DeadLetter> {
    enforce(OPERATOR_ACCESS, origin.actor)
    return this.#settle(origin, 'drop', id)
  }

  /** Runs one turn of a sweep. Does nothing if another process is running it. */
  async runSweep({ actor }: Origin, name: string): Promise<SweepResult> {
    enforce(OPERATOR_ACCESS, actor)
    const sweep = this.#dependencies.sweeps.find((candidate) => candidate.name === name)
    if (!sweep) {
      throw new EntityNotFound('sweep')
    }
    const turn = async (lost: AbortSignal): Promise<SweepResult> => {
      const signal = AbortSignal.any([AbortSignal.timeout(TURN_TIMEOUT_MS), lost])
      return 'runTurn' in sweep
        ? sweep.runTurn(signal)
        : { removed: await sweep.run(signal), isDone: !signal.aborted }
    }
    return (
      (await runAsLeader(this.#dependencies.pool, `sweep:${name}`, turn)) ?? {
        removed: 0,
        isDone: false,
      }
    )
  }

  /** Lists the sweeps of this process, and whether any process is running them. */
  async listSweeps({ actor }: Origin): Promise<{ name: string; isRunning: boolean }[]> {
    enforce(OPERATOR_ACCESS, actor)
    const names = this.#dependencies.sweeps.map(({ name }) => name)
    const { rows } = await this.#dependencies.pool.query<{ name: string; isRunning: boolean }>(
      SELECT_RUNNING,
      [names]
    )
    return rows
  }

  /** Not found if somebody else was faster. */
  async #settle(origin: Origin, action: 'redrive' | 'drop', id: string): Promise<DeadLetter> {
    const letter = await this.#find(origin, id)
    const { queue, messageId } = letter
    const settlement = { action, queue, chosen: { id }, messageId }
    const settled = await settleDeadLetters(this.#dependencies, origin, settlement)
    if (settled === 0) {
      throw new EntityNotFound('dead-letter')
    }
    return letter
  }

  async #find(origin: Origin, id: string): Promise<DeadLetter> {
    const letters = await this.listDeadLetters(origin)
    const found = letters.find((letter) => letter.id === id)
    if (!found) {
      throw new EntityNotFound('dead-letter')
    }
    return found
  }
}
