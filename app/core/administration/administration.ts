import type { DeadLetter, DeadLetters } from '#bus/dead_letters'
import { runAsLeader } from '#jobs/leader_election'
import type { LongSweep, Sweep, SweepResult } from '#jobs/sweep'
import { isAdvisoryLockGranted } from '#database/advisory_locks'
import type { DatabasePool } from '#database/database_pool'
import { enforce, requiresInMasterRealm } from '#kernel/access'
import { EntityNotFound } from '#kernel/failures'
import type { Origin } from '#kernel/origin'

/** Who runs the installation. */
export const OPERATOR_ACCESS = requiresInMasterRealm('service_manage')

const MAX_LETTERS_PER_QUEUE = 1_000
/** A caller waits for a sweep; what it leaves is done on its schedule, or with the next call. */
const TURN_TIMEOUT_MS = 20_000

/** Who does a sweep holds the lock of `asLeader`. */
const SELECT_RUNNING = `
  select name, exists (
    select from pg_locks where ${isAdvisoryLockGranted(`hashtextextended('sweep:' || name, 0)`)}
  ) as "isRunning"
  from unnest($1::text[]) as name order by name`

interface AdministrationDependencies {
  /** Of the surfaces that this process works for. */
  readonly queues: readonly string[]
  readonly letters: DeadLetters
  readonly sweeps: readonly (Sweep | LongSweep)[]
  /** Where sweeps of all processes keep out of each other's way. */
  readonly pool: DatabasePool
}

/** What an operator does without a shell on the machine: look after dead letters, and have swept what is due. */
export class Administration {
  readonly #dependencies: AdministrationDependencies

  constructor(dependencies: AdministrationDependencies) {
    this.#dependencies = dependencies
  }

  /** The oldest messages that could not be handled, of each queue. */
  async listDeadLetters({ actor }: Origin): Promise<DeadLetter[]> {
    enforce(OPERATOR_ACCESS, actor)
    const { letters, queues } = this.#dependencies
    const found = await Promise.all(
      queues.map((queue) => letters.list(queue, MAX_LETTERS_PER_QUEUE))
    )
    return found.flat()
  }

  /** How many of them there are in each queue. */
  async countDeadLetters({ actor }: Origin): Promise<ReadonlyMap<string, number>> {
    enforce(OPERATOR_ACCESS, actor)
    return this.#dependencies.letters.counts(this.#dependencies.queues)
  }

  /** Gives a message back to the queue it died in. */
  async redrive(origin: Origin, id: string): Promise<DeadLetter> {
    enforce(OPERATOR_ACCESS, origin.actor)
    const letter = await this.#find(origin, id)
    await this.#dependencies.letters.redrive(letter.queue, { id })
    return letter
  }

  /** Forgets a message for good. */
  async drop(origin: Origin, id: string): Promise<DeadLetter> {
    enforce(OPERATOR_ACCESS, origin.actor)
    const letter = await this.#find(origin, id)
    await this.#dependencies.letters.drop(letter.queue, { id })
    return letter
  }

  /** Has one turn of a sweep now; nothing is removed where another process is at it. */
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

  /** All sweeps that are known here, and whether one of the processes is at them now. */
  async listSweeps({ actor }: Origin): Promise<{ name: string; isRunning: boolean }[]> {
    enforce(OPERATOR_ACCESS, actor)
    const names = this.#dependencies.sweeps.map(({ name }) => name)
    const { rows } = await this.#dependencies.pool.query<{ name: string; isRunning: boolean }>(
      SELECT_RUNNING,
      [names]
    )
    return rows
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
