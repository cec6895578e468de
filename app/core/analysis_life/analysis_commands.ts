import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { QueueConsumers } from '#core/command_warnings'
import { CorePool } from '#core/database'
import type { Analysis } from '#core/analyses/analysis'
import { analysis as kind } from '#core/analyses/analysis'
import { AnalysisService } from '#core/analyses/analysis_service'
import { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import { BuildSignatures } from '#core/build_images/build_signatures'
import { requestBuckets } from '#core/analysis_buckets/bucket_requests'
import { StoredCode } from '#core/analysis_bucket_files/stored_code'
import { coreSettings } from '#core/core_settings'
import { AnalysisNodeService } from '#core/analysis_nodes/analysis_node_service'
import { findWarnings, type Warning } from '#core/command_warnings'
import { codeBuckets, CodeLocks } from '#core/code_locks/code_locks'
import { enforce } from '#kernel/access'
import type { Origin } from '#kernel/origin'
import type { WrittenRecord } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'
import { COMMANDS, type Command, type CommandName } from './commands.js'
import { loadFacts, type AnalysisFacts } from './analysis_facts.js'
import { CommandRefused, findUnmet } from './guards.js'
import { PROCESSES, type ProcessName } from './processes.js'
import { requestCheck, startRun, deleteRuns } from './runs.js'

type AnalysisRow = Row<typeof Analysis>
type WrittenAnalysis = WrittenRecord<typeof Analysis>
type CommandOutcome<T> = { readonly done: T } | { readonly refusal: CommandRefused }

/** A command, its origin, and the analysis it is for. */
interface CommandRequest {
  readonly origin: Origin
  readonly id: string
  readonly command: Command
}

/** Results of checks outside of the database, which run before the transaction. */
interface ExternalChecks {
  readonly damaged?: readonly string[]
  readonly unsignedBuild?: string | undefined
}

const NOT_BUILT = {
  buildStatus: null,
  buildProgress: null,
  buildHash: null,
  buildOs: null,
  buildSize: null,
}
const NOT_DISTRIBUTED = { distributionStatus: null, distributionProgress: null }

export interface CommandResult {
  /** The analysis after the command. */
  readonly data: string
  readonly warnings: readonly Warning[]
}

const CODE = `select f.bucket_file_id as id
  from analysis_bucket_files f join analysis_buckets b on b.id = f.analysis_bucket_id
  where f.analysis_id = $1 and b.type = 'CODE'`

/**
 * Runs the commands of analyses. Recomputes the summary of the analysis first. The new summary is committed even if the
 * command is rejected, because a guard may fail due to it.
 */
@inject()
export class AnalysisCommands {
  readonly #pool: CorePool
  readonly #analyses: AnalysisService
  readonly #analysisNodes: AnalysisNodeService
  readonly #upkeep: AnalysisUpkeep
  readonly #codeLocks: CodeLocks
  readonly #queues: QueueConsumers
  readonly #storedCode: StoredCode
  readonly #signatures: BuildSignatures

  constructor(
    pool: CorePool,
    analyses: AnalysisService,
    analysisNodes: AnalysisNodeService,
    upkeep: AnalysisUpkeep,
    codeLocks: CodeLocks,
    queues: QueueConsumers,
    storedCode: StoredCode,
    signatures: BuildSignatures
  ) {
    this.#pool = pool
    this.#analyses = analyses
    this.#analysisNodes = analysisNodes
    this.#upkeep = upkeep
    this.#codeLocks = codeLocks
    this.#queues = queues
    this.#storedCode = storedCode
    this.#signatures = signatures
  }

  async run(origin: Origin, id: string, name: CommandName): Promise<CommandResult> {
    enforce(kind.access.update!, origin.actor)
    const command: Command = COMMANDS[name]
    const { data } = await this.#execute({ origin, id, command })
    return { data, warnings: await this.#warningsOf(command) }
  }

  #execute(request: CommandRequest): Promise<WrittenAnalysis> {
    switch (request.command.effect) {
      case 'lock':
        return this.#lock(request)
      case 'unlock':
        return this.#unlock(request)
      case 'start':
        return this.#start(request)
      case 'check':
        return this.#check(request)
      case 'requestBuckets':
        return this.#requestBuckets(request)
    }
  }

  /** Checks the guards and runs `work` in one transaction. A new summary is committed even if a guard fails. */
  async #whenGuardsPass<T>(
    { origin, id, command }: CommandRequest,
    work: (transaction: pg.ClientBase, facts: AnalysisFacts) => Promise<T>,
    { damaged = [], unsignedBuild }: ExternalChecks = {}
  ): Promise<T> {
    const outcome = await inTransaction(
      this.#pool,
      async (transaction): Promise<CommandOutcome<T>> => {
        const before = await this.#analyses.lockAnalysis(transaction, origin, id)
        await this.#upkeep.refreshAll(transaction, origin, before)
        if (damaged.length > 0) {
          const changed = { ...origin, contentChanged: ['files'] }
          await this.#upkeep.withdrawApprovals(transaction, changed, id)
        }
        const analysis = await this.#analyses.lockAnalysis(transaction, origin, id)
        const facts = await loadFacts(transaction, analysis, {
          isCodeAsStored: damaged.length === 0,
          unsignedBuild,
        })
        const unmet = findUnmet(command.guards, facts)
        return unmet.length > 0
          ? { refusal: new CommandRefused(unmet, facts) }
          : { done: await work(transaction, facts) }
      }
    )
    if ('refusal' in outcome) {
      throw outcome.refusal
    }
    return outcome.done
  }

  async #warningsOf({ process }: Command): Promise<readonly Warning[]> {
    return process ? findWarnings(this.#queues, PROCESSES[process].queue) : []
  }

  /** Code files whose bytes were changed at the object store, which no node can have approved. */
  async #findDamagedCode(origin: Origin, id: string): Promise<readonly string[]> {
    const files = await inTransaction(this.#pool, async (transaction) => {
      const analysis = await this.#analyses.lockAnalysis(transaction, origin, id)
      const { rows } = await transaction.query<{ id: string }>(CODE, [analysis.id])
      return rows.map((row) => row.id)
    })
    return coreSettings().skipsAnalysisApproval ? [] : this.#storedCode.findDamaged(files)
  }

  /** The digest of the build, if its signature is invalid. */
  async #findUnsignedBuild(
    origin: Origin,
    id: string,
    { guards }: Command
  ): Promise<string | undefined> {
    if (!guards.includes('signature')) {
      return undefined
    }
    const analysis = await inTransaction(this.#pool, (transaction) =>
      this.#analyses.lockAnalysis(transaction, origin, id)
    )
    return this.#signatures.findUnsigned(analysis)
  }

  /** Locks the buckets at storage before the configuration, so the guards are checked before and after that call. */
  async #lock(request: CommandRequest): Promise<WrittenAnalysis> {
    const { origin, id } = request
    const buckets = await this.#whenGuardsPass(request, (transaction) =>
      codeBuckets(transaction, id)
    )
    return this.#codeLocks.withLock(buckets, (lock) =>
      this.#whenGuardsPass(request, async (transaction, { analysis }) => {
        await lock.confirm(transaction, id)
        return this.#write(transaction, origin, analysis, { configurationLocked: true })
      })
    )
  }

  /** Resets approvals, build, distribution and executions, and lets storage accept code again. */
  async #unlock(request: CommandRequest): Promise<WrittenAnalysis> {
    const { origin, id } = request
    const { changed, lock } = await this.#whenGuardsPass(request, async (transaction) => {
      await this.#upkeep.withdrawApprovals(transaction, origin, id)
      await this.#resetRuns(transaction, origin, id, ['build', 'distribution'])
      const analysis = await this.#analyses.lockAnalysis(transaction, origin, id)
      const values = { configurationLocked: false, ...NOT_BUILT, ...NOT_DISTRIBUTED }
      return {
        changed: await this.#write(transaction, origin, analysis, values),
        lock: await this.#codeLocks.release(transaction, id),
      }
    })
    if (lock !== undefined) {
      await this.#codeLocks.releaseNow(lock)
    }
    return changed
  }

  async #start(request: CommandRequest): Promise<WrittenAnalysis> {
    const { origin, id, command } = request
    const checks: ExternalChecks = {
      damaged: await this.#findDamagedCode(origin, id),
      unsignedBuild: await this.#findUnsignedBuild(origin, id, command),
    }
    const start = (transaction: pg.ClientBase, facts: AnalysisFacts) =>
      command.process === 'build'
        ? this.#startBuild(transaction, origin, facts.analysis)
        : this.#startDistribution(transaction, origin, facts)
    return this.#whenGuardsPass(request, start, checks)
  }

  #check(request: CommandRequest): Promise<WrittenAnalysis> {
    return this.#whenGuardsPass(request, async (transaction, { analysis }) => {
      const { command, origin } = request
      await requestCheck(transaction, analysis.id, command.process!, origin)
      return this.#write(transaction, origin, analysis, {})
    })
  }

  #requestBuckets(request: CommandRequest): Promise<WrittenAnalysis> {
    return this.#whenGuardsPass(request, async (transaction, { analysis }) => {
      await requestBuckets(transaction, analysis)
      return this.#write(transaction, request.origin, analysis, {})
    })
  }

  /** Resets the distribution and the executions, which belong to the former build. */
  async #startBuild(transaction: pg.ClientBase, origin: Origin, { id }: AnalysisRow) {
    await this.#resetRuns(transaction, origin, id, ['distribution'])
    await startRun(transaction, origin, id, 'build')
    const analysis = await this.#analyses.lockAnalysis(transaction, origin, id)
    return this.#write(transaction, origin, analysis, {
      ...NOT_BUILT,
      ...NOT_DISTRIBUTED,
      [PROCESSES.build.status]: 'starting',
    })
  }

  async #startDistribution(
    transaction: pg.ClientBase,
    origin: Origin,
    { analysis, firstRegistryId }: AnalysisFacts
  ) {
    await startRun(transaction, origin, analysis.id, 'distribution')
    return this.#write(transaction, origin, analysis, {
      registryId: analysis.registryId ?? firstRegistryId,
      ...NOT_DISTRIBUTED,
      [PROCESSES.distribution.status]: 'starting',
    })
  }

  async #resetRuns(
    transaction: pg.ClientBase,
    origin: Origin,
    id: string,
    processes: readonly ProcessName[]
  ): Promise<void> {
    await deleteRuns(transaction, id, processes)
    await this.#analysisNodes.resetExecutions(transaction, origin, id)
  }

  #write(...args: Parameters<AnalysisService['write']>): Promise<WrittenAnalysis> {
    return this.#analyses.write(...args)
  }
}
