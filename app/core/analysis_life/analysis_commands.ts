import type pg from 'pg'

import type { Bus } from '#bus/bus'
import type { Analysis } from '#core/analyses/analysis'
import { analysis as kind } from '#core/analyses/analysis'
import type { AnalysisService } from '#core/analyses/analysis_service'
import type { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import type { BuildSignatures } from '#core/build_images/build_signatures'
import { askForBuckets } from '#core/analysis_buckets/requested_buckets'
import type { StoredCode } from '#core/analysis_bucket_files/stored_code'
import { skipsApproval } from '#core/analysis_nodes/approval_switch'
import type { AnalysisNodeService } from '#core/analysis_nodes/analysis_node_service'
import { warningsFor, type Warning } from '#core/command_warnings'
import { codeBuckets, type CodeLocks } from '#core/code_locks/code_locks'
import type { DatabasePool } from '#database/database_pool'
import { enforce } from '#kernel/access'
import type { Origin } from '#kernel/origin'
import type { Written } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'
import { COMMANDS, type Command, type CommandName } from './commands.js'
import { factsOf, type Facts } from './facts.js'
import { CommandRefused, unmetOf } from './guards.js'
import { PROCESSES, type ProcessName } from './processes.js'
import { askForCheck, beginRun, forgetRuns } from './runs.js'

type Held = Row<typeof Analysis>
type Changed = Written<typeof Analysis>
type Outcome<T> = { readonly done: T } | { readonly refusal: CommandRefused }

/** A command, and whom and what it is for. */
interface Given {
  readonly origin: Origin
  readonly id: string
  readonly command: Command
}

/** What was looked at outside of the database before a transaction began. */
interface Looked {
  readonly damaged?: readonly string[]
  readonly unfitBuild?: string | undefined
}

const NOT_BUILT = {
  buildStatus: null,
  buildProgress: null,
  buildHash: null,
  buildOs: null,
  buildSize: null,
}
const NOT_DISTRIBUTED = { distributionStatus: null, distributionProgress: null }

export interface Commanded {
  /** The analysis after the command. */
  readonly data: string
  readonly warnings: readonly Warning[]
}

const CODE = `select f.bucket_file_id as id
  from analysis_bucket_files f join analysis_buckets b on b.id = f.analysis_bucket_id
  where f.analysis_id = $1 and b.type = 'CODE'`

interface Needs {
  readonly pool: DatabasePool
  readonly analyses: AnalysisService
  readonly analysisNodes: AnalysisNodeService
  readonly upkeep: AnalysisUpkeep
  readonly codeLocks: CodeLocks
  readonly isListenedTo: Bus['isListenedTo']
  readonly storedCode: StoredCode
  readonly signatures: Pick<BuildSignatures, 'unfit'>
}

/**
 * Carries out what an analysis is told to do. What it tells of its parts is made anew first, and stays so where the command is refused: a
 * guard may be unmet because of what was found.
 */
export class AnalysisCommands {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async run(origin: Origin, id: string, name: CommandName): Promise<Commanded> {
    enforce(kind.access.update!, origin.actor)
    const command: Command = COMMANDS[name]
    const { data } = await this.#carryOut({ origin, id, command })
    return { data, warnings: await this.#warningsOf(command) }
  }

  #carryOut(given: Given): Promise<Changed> {
    switch (given.command.effect) {
      case 'lock':
        return this.#lock(given)
      case 'unlock':
        return this.#unlock(given)
      case 'start':
        return this.#start(given)
      case 'check':
        return this.#check(given)
      case 'askForBuckets':
        return this.#askForBuckets(given)
    }
  }

  /** Does the work in the transaction that looked at the guards. What was found to differ stays written where one is not met. */
  async #whereMet<T>(
    { origin, id, command }: Given,
    work: (transaction: pg.ClientBase, facts: Facts) => Promise<T>,
    { damaged = [], unfitBuild }: Looked = {}
  ): Promise<T> {
    const { pool, analyses, upkeep } = this.#needs
    const outcome = await inTransaction(pool, async (transaction): Promise<Outcome<T>> => {
      const asItWas = await analyses.hold(transaction, origin, id)
      await upkeep.followAll(transaction, origin, asItWas)
      if (damaged.length > 0) {
        const changed = { ...origin, contentChanged: ['files'] }
        await upkeep.withdrawApprovals(transaction, changed, id)
      }
      const held = await analyses.hold(transaction, origin, id)
      const facts = await factsOf(transaction, held, {
        isCodeAsStored: damaged.length === 0,
        unfitBuild,
      })
      const unmet = unmetOf(command.guards, facts)
      return unmet.length > 0
        ? { refusal: new CommandRefused(unmet, facts) }
        : { done: await work(transaction, facts) }
    })
    if ('refusal' in outcome) {
      throw outcome.refusal
    }
    return outcome.done
  }

  async #warningsOf({ process }: Command): Promise<readonly Warning[]> {
    return process ? warningsFor(this.#needs, PROCESSES[process].queue) : []
  }

  /** Files whose bytes somebody changed behind the platform's back, which nobody can have agreed to. */
  async #damagedCode(origin: Origin, id: string): Promise<readonly string[]> {
    const { pool, analyses, storedCode } = this.#needs
    const files = await inTransaction(pool, async (transaction) => {
      const held = await analyses.hold(transaction, origin, id)
      const { rows } = await transaction.query<{ id: string }>(CODE, [held.id])
      return rows.map((row) => row.id)
    })
    return skipsApproval.isOn ? [] : storedCode.damaged(files)
  }

  /** What would be distributed, where it is known not to be what was built here. */
  async #unfitBuild(origin: Origin, id: string, { guards }: Command): Promise<string | undefined> {
    if (!guards.includes('signature')) {
      return undefined
    }
    const { pool, analyses, signatures } = this.#needs
    const held = await inTransaction(pool, (transaction) => analyses.hold(transaction, origin, id))
    return signatures.unfit(held)
  }

  /** Storage takes no more code before the configuration is locked, so the guards are looked at before and after it is asked. */
  async #lock(given: Given): Promise<Changed> {
    const { origin, id } = given
    const buckets = await this.#whereMet(given, (transaction) => codeBuckets(transaction, id))
    return this.#needs.codeLocks.around(buckets, (lock) =>
      this.#whereMet(given, async (transaction, { analysis }) => {
        await lock.confirm(transaction, id)
        return this.#write(transaction, origin, analysis, { configurationLocked: true })
      })
    )
  }

  /** Whatever was agreed to, built and run is over, and storage takes code again. */
  async #unlock(given: Given): Promise<Changed> {
    const { origin, id } = given
    const { analyses, codeLocks, upkeep } = this.#needs
    const { changed, lock } = await this.#whereMet(given, async (transaction) => {
      await upkeep.withdrawApprovals(transaction, origin, id)
      await this.#forget(transaction, origin, id, ['build', 'distribution'])
      const held = await analyses.hold(transaction, origin, id)
      const values = { configurationLocked: false, ...NOT_BUILT, ...NOT_DISTRIBUTED }
      return {
        changed: await this.#write(transaction, origin, held, values),
        lock: await codeLocks.release(transaction, id),
      }
    })
    if (lock !== undefined) {
      await codeLocks.settle(lock)
    }
    return changed
  }

  async #start(given: Given): Promise<Changed> {
    const { origin, id, command } = given
    const looked = {
      damaged: await this.#damagedCode(origin, id),
      unfitBuild: await this.#unfitBuild(origin, id, command),
    }
    const start = (transaction: pg.ClientBase, facts: Facts) =>
      command.process === 'build'
        ? this.#startBuild(transaction, origin, facts.analysis)
        : this.#startDistribution(transaction, origin, facts)
    return this.#whereMet(given, start, looked)
  }

  #check(given: Given): Promise<Changed> {
    return this.#whereMet(given, async (transaction, { analysis }) => {
      await askForCheck(transaction, analysis.id, given.command.process!)
      return this.#write(transaction, given.origin, analysis, {})
    })
  }

  #askForBuckets(given: Given): Promise<Changed> {
    return this.#whereMet(given, async (transaction, { analysis }) => {
      await askForBuckets(transaction, analysis)
      return this.#write(transaction, given.origin, analysis, {})
    })
  }

  /** What was distributed and run was another build. */
  async #startBuild(transaction: pg.ClientBase, origin: Origin, { id }: Held) {
    await this.#forget(transaction, origin, id, ['distribution'])
    await beginRun(transaction, id, 'build')
    const held = await this.#needs.analyses.hold(transaction, origin, id)
    return this.#write(transaction, origin, held, {
      ...NOT_BUILT,
      ...NOT_DISTRIBUTED,
      [PROCESSES.build.status]: 'starting',
    })
  }

  async #startDistribution(
    transaction: pg.ClientBase,
    origin: Origin,
    { analysis, firstRegistryId }: Facts
  ) {
    await beginRun(transaction, analysis.id, 'distribution')
    return this.#write(transaction, origin, analysis, {
      registryId: analysis.registryId ?? firstRegistryId,
      ...NOT_DISTRIBUTED,
      [PROCESSES.distribution.status]: 'starting',
    })
  }

  async #forget(
    transaction: pg.ClientBase,
    origin: Origin,
    id: string,
    processes: readonly ProcessName[]
  ): Promise<void> {
    await forgetRuns(transaction, id, processes)
    await this.#needs.analysisNodes.forgetExecutions(transaction, origin, id)
  }

  #write(...args: Parameters<AnalysisService['write']>): Promise<Changed> {
    return this.#needs.analyses.write(...args)
  }
}
