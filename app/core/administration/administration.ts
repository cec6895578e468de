import type { DeadLetter, DeadLetters } from '#bus/dead_letters'
import { runAsLeader } from '#jobs/leader_election'
import type { LongSweep, Sweep, SweepResult } from '#jobs/sweep'
import { isAdvisoryLockGranted } from '#database/advisory_locks'
import type { DatabasePool } from '#database/database_pool'
import { enforce, requiresInMasterRealm } from '#kernel/access'
import { EntityNotFound } from '#kernel/failures'
import type { Origin } from '#kernel/origin'

/** Who runs the installation. */
export const OPERATING = requiresInMasterRealm('service_manage')

const LETTERS_PER_QUEUE = 1_000
/** A caller waits for a sweep; what it leaves is done on its schedule, or with the next call. */
const TURN_MS = 20_000

/** Who does a sweep holds the lock of `asLeader`. */
const RUNNING = `
  select name, exists (
    select from pg_locks where ${isAdvisoryLockGranted(`hashtextextended('sweep:' || name, 0)`)}
  ) as "isRunning"
  from unnest($1::text[]) as name order by name`

interface Needs {
  /** Of the surfaces that this process works for. */
  readonly queues: readonly string[]
  readonly letters: DeadLetters
  readonly sweeps: readonly (Sweep | LongSweep)[]
  /** Where sweeps of all processes keep out of each other's way. */
  readonly pool: DatabasePool
}

/** What an operator does without a shell on the machine: look after dead letters, and have swept what is due. */
export class Administration {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** The oldest messages that could not be handled, of each queue. */
  async deadLetters({ actor }: Origin): Promise<DeadLetter[]> {
    enforce(OPERATING, actor)
    const { letters, queues } = this.#needs
    const found = await Promise.all(queues.map((queue) => letters.list(queue, LETTERS_PER_QUEUE)))
    return found.flat()
  }

  /** How many of them there are in each queue. */
  async deadCounts({ actor }: Origin): Promise<ReadonlyMap<string, number>> {
    enforce(OPERATING, actor)
    return this.#needs.letters.counts(this.#needs.queues)
  }

  /** Gives a message back to the queue it died in. */
  async redrive(origin: Origin, id: string): Promise<DeadLetter> {
    enforce(OPERATING, origin.actor)
    const letter = await this.#find(origin, id)
    await this.#needs.letters.redrive(letter.queue, { id })
    return letter
  }

  /** Forgets a message for good. */
  async drop(origin: Origin, id: string): Promise<DeadLetter> {
    enforce(OPERATING, origin.actor)
    const letter = await this.#find(origin, id)
    await this.#needs.letters.drop(letter.queue, { id })
    return letter
  }

  /** Has one turn of a sweep now; nothing is removed where another process is at it. */
  async sweep({ actor }: Origin, name: string): Promise<SweepResult> {
    enforce(OPERATING, actor)
    const sweep = this.#needs.sweeps.find((known) => known.name === name)
    if (!sweep) {
      throw new EntityNotFound('sweep')
    }
    const turn = async (lost: AbortSignal): Promise<SweepResult> => {
      const signal = AbortSignal.any([AbortSignal.timeout(TURN_MS), lost])
      return 'runTurn' in sweep
        ? sweep.runTurn(signal)
        : { removed: await sweep.run(signal), isDone: !signal.aborted }
    }
    return (
      (await runAsLeader(this.#needs.pool, `sweep:${name}`, turn)) ?? { removed: 0, isDone: false }
    )
  }

  /** All sweeps that are known here, and whether one of the processes is at them now. */
  async runningSweeps({ actor }: Origin): Promise<{ name: string; isRunning: boolean }[]> {
    enforce(OPERATING, actor)
    const names = this.#needs.sweeps.map(({ name }) => name)
    const { rows } = await this.#needs.pool.query<{ name: string; isRunning: boolean }>(RUNNING, [
      names,
    ])
    return rows
  }

  async #find(origin: Origin, id: string): Promise<DeadLetter> {
    const letters = await this.deadLetters(origin)
    const found = letters.find((letter) => letter.id === id)
    if (!found) {
      throw new EntityNotFound('dead-letter')
    }
    return found
  }
}
