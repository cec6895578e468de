import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { jitteredBackoff, sleep } from '#kernel/backoff'

import { HubRefusal } from '#node/errors'
import { AnalysisRun } from './analysis_run.js'
import type { RunServices } from './run_services.js'
import type { AssignedAnalysis } from './assigned_analysis.js'
import { FailedAttempts } from './failed_attempts.js'
import type { Assignment, HubNode, RunResult } from './hub_analyses.js'
import { Leftovers } from './leftovers.js'
import { ReportQueue } from './report_queue.js'
import type { RunRecord, RunRecords } from './run_record.js'

export interface SchedulerEvents {
  /** Writes one line about an action of the node, for its operator. */
  readonly onLine: (line: string) => void
}

const POLL_MS = 2_000
const RETRY = { firstMs: 1_000, longestMs: 10_000 }
/** The rounds after which all pages are read, not only the one with the latest changes. */
const FULL_SCAN_ROUNDS = 30
/** The time in which the other nodes may end by themselves after one has failed. */
const PARTNER_GRACE_MS = 20_000
/** How long a stopping node waits for the hub. The rest is reported at the next start. */
const LAST_REPORTS_MS = 5_000

/** Starts analyses that are approved and distributed, and stops those whose approval ended. */
export class Scheduler {
  readonly #services: RunServices
  readonly #node: HubNode
  readonly #records: RunRecords
  readonly #events: SchedulerEvents
  readonly #runs = new Map<string, AnalysisRun>()
  readonly #stopped = new AbortController()
  readonly #reports = new Set<ReportQueue>()
  readonly #reporting = new Set<Promise<void>>()
  /** Analyses with an unreported former run. */
  readonly #unreported = new Set<string>()
  readonly #partnerFailures = new Map<string, number>()
  readonly #failures: FailedAttempts
  readonly #leftovers: Leftovers
  #loop: Promise<void> | undefined
  #round = 0

  constructor(services: RunServices, node: HubNode, records: RunRecords, events: SchedulerEvents) {
    this.#services = services
    this.#node = node
    this.#records = records
    this.#events = events
    this.#failures = new FailedAttempts(events.onLine)
    const { analyses, inbox, folder } = services
    const outputFolder = join(folder, 'output')
    this.#leftovers = new Leftovers({ nodeId: node.id, analyses, records, inbox, outputFolder })
  }

  /** Starts after the runs of a killed process were reported. */
  async start(): Promise<void> {
    for (const record of await this.#records.unreported()) {
      this.#unreported.add(record.analysisId)
      this.#track(this.#reportFormer(record))
    }
    this.#loop = this.#run(this.#stopped.signal)
  }

  /** Ends all runs and reports them as stopped. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    for (const run of this.#runs.values()) {
      run.stop('The node is being stopped')
    }
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended))
    const reported = Promise.all([this.#loop, ...this.#reporting])
    await Promise.race([reported, delay(LAST_REPORTS_MS, undefined, { ref: false })])
    this.#reports.forEach((reports) => reports.stop())
  }

  /** The run of an analysis, if it is running here. */
  runOf(analysisId: string): AnalysisRun | undefined {
    return this.#runs.get(analysisId)
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.#poll()
        failures = 0
        await sleep(POLL_MS, signal)
      } catch (error) {
        failures += 1
        if (failures === 1) {
          this.#events.onLine((error as Error).message)
        }
        await sleep(jitteredBackoff(failures, RETRY), signal)
      }
    }
  }

  async #poll(): Promise<void> {
    const isFullScan = this.#round % FULL_SCAN_ROUNDS === 0
    this.#round += 1
    const { analyses } = this.#services
    const assignments = await analyses.assignments(this.#node.id, isFullScan)
    for (const assignment of assignments.filter(({ id }) => !this.#failures.isPaused(id))) {
      await this.#failures.attempt(assignment.id, nameOf(assignment.analysis), () =>
        this.#consider(assignment)
      )
    }
    await this.#checkRuns(new Map(assignments.map((one) => [one.analysisId, one])))
    if (isFullScan) {
      await this.#forget(assignments)
    }
  }

  /** Removes the data of analyses that the node is no longer assigned to. */
  async #forget(assignments: readonly Assignment[]): Promise<void> {
    const running = new Set(this.#runs.keys())
    this.#failures.retain(new Set([...assignments.map(({ id }) => id), ...running]))
    const assigned = new Set(assignments.map(({ analysisId }) => analysisId))
    await this.#leftovers.remove(assigned, running)
  }

  async #consider(assignment: Assignment): Promise<void> {
    const { approvalStatus, analysis } = assignment
    if (approvalStatus === null && analysis.configurationLocked) {
      await this.#approve(assignment)
    }
    if (this.#isDue(assignment)) {
      await this.#startRun(assignment)
    }
  }

  async #approve({ id, analysisId, analysis }: Assignment): Promise<void> {
    const { approver } = this.#services
    if (!approver) {
      return
    }
    const { digest } = await this.#services.analyses.content(analysisId)
    await approver.approve(id, digest)
    this.#events.onLine(`${nameOf(analysis)}: approved by the policy of the node`)
  }

  #isDue({ approvalStatus, executionStatus, artifactDigest, analysis, analysisId }: Assignment) {
    return (
      approvalStatus === 'approved' &&
      analysis.distributionStatus === 'executed' &&
      artifactDigest !== null &&
      executionStatus === null &&
      !this.#runs.has(analysisId) &&
      !this.#unreported.has(analysisId) &&
      this.#runs.size < this.#services.policy.atOnce &&
      !this.#stopped.signal.aborted
    )
  }

  async #startRun(assignment: Assignment): Promise<void> {
    const { analysisId } = assignment
    const analysis = await this.#readAnalysis(assignment)
    const project = await this.#services.analyses.project(analysis.projectId)
    const traceparent = await this.#findTraceparent(analysisId)
    const former = await this.#records.find(analysisId)
    const restart = (former?.restart ?? -1) + 1
    const record = {
      analysisId,
      assignmentId: assignment.id,
      artifactDigest: assignment.artifactDigest!,
      restart,
      result: undefined,
      isReported: false,
    }
    await this.#records.save(record)
    const reports = this.#reportsOf(assignment)
    const sources = this.#services.policy.sourcesOf(project.id)
    const run = new AnalysisRun(this.#services, {
      assignment,
      analysis,
      sources,
      restart,
      reports,
      traceparent,
    })
    this.#runs.set(analysisId, run)
    this.#events.onLine(`${nameOf(assignment.analysis)}: starts`)
    this.#track(this.#settle(run, record, reports, nameOf(assignment.analysis)))
  }

  /** Records the end of a run before reporting it, so that it is also reported after a crash. */
  async #settle(
    run: AnalysisRun,
    record: RunRecord,
    reports: ReportQueue,
    name: string
  ): Promise<void> {
    const result = await run.ended
    this.#events.onLine(`${name}: ${result}`)
    await this.#reportResult({ ...record, result }, reports, result)
    this.#reports.delete(reports)
    this.#runs.delete(run.analysisId)
    this.#partnerFailures.delete(run.analysisId)
  }

  /** Reports the results of a former process. Its unfinished runs are reported as failed. */
  async #reportFormer(record: RunRecord): Promise<void> {
    const reports = this.#reportsOf({ ...record, id: record.assignmentId })
    if (record.result === undefined) {
      reports.log(
        'error',
        'The node was interrupted while the analysis ran; its state is lost',
        'failed'
      )
    }
    await this.#reportResult(record, reports, record.result ?? 'failed')
    this.#reports.delete(reports)
    this.#unreported.delete(record.analysisId)
  }

  async #reportResult(record: RunRecord, reports: ReportQueue, result: RunResult): Promise<void> {
    await this.#records.save({ ...record, result })
    await this.#services.inbox.remove(record.analysisId)
    reports.log('info', `Ended: ${result}`, 'end')
    // A successful end means full progress, even if the code reported none.
    reports.report({
      executionStatus: result,
      ...(result === 'executed' && { executionProgress: 100 }),
    })
    if (await reports.flushed()) {
      await this.#records.save({ ...record, result, isReported: true })
    }
  }

  #track(reporting: Promise<void>): void {
    this.#reporting.add(reporting)
    void reporting
      .catch((error: unknown) => this.#events.onLine((error as Error).message))
      .finally(() => this.#reporting.delete(reporting))
  }

  /** Stops runs whose approval or assignment ended, or of whose analysis another node failed. */
  async #checkRuns(seen: ReadonlyMap<string, Assignment>): Promise<void> {
    const checks = [...this.#runs.values()].map((run) =>
      this.#failures.attempt(run.analysisId, run.analysisId, () =>
        this.#checkRun(run, seen.get(run.analysisId))
      )
    )
    await Promise.all(checks)
  }

  async #checkRun(run: AnalysisRun, seen: Assignment | undefined): Promise<void> {
    const { analyses } = this.#services
    const assignment = seen ?? (await analyses.assignment(this.#node.id, run.analysisId))
    const reason = reasonToEnd(assignment)
    if (reason) {
      run.stop(reason)
    } else {
      await this.#checkPartners(run)
    }
  }

  async #checkPartners(run: AnalysisRun): Promise<void> {
    const participations = await this.#services.analyses.participations(run.analysisId)
    run.update(participations)
    const hasFailed = participations.some(
      ({ participant: { nodeId }, executionStatus }) =>
        nodeId !== this.#node.id && (executionStatus === 'failed' || executionStatus === 'stopped')
    )
    if (!hasFailed) {
      return
    }
    const since = this.#partnerFailures.get(run.analysisId) ?? Date.now()
    this.#partnerFailures.set(run.analysisId, since)
    if (Date.now() - since >= PARTNER_GRACE_MS) {
      run.stop('Another node of the analysis has failed or was stopped')
    }
  }

  async #readAnalysis({ analysisId, analysis }: Assignment): Promise<AssignedAnalysis> {
    const participations = await this.#services.analyses.participations(analysisId)
    const participants = participations.map(({ participant }) => participant)
    const self = participants.find(({ nodeId }) => nodeId === this.#node.id)
    if (!self) {
      throw new HubRefusal('The node is not a participant of the analysis', 404)
    }
    return { id: analysisId, projectId: analysis.projectId, self, participants }
  }

  /** A failure only costs the trace; the run itself reports unreadable content. */
  async #findTraceparent(analysisId: string): Promise<string | undefined> {
    const content = await this.#services.analyses.content(analysisId).catch(() => undefined)
    return content?.traceparent
  }

  #reportsOf({ id, analysisId }: Pick<Assignment, 'id' | 'analysisId'>): ReportQueue {
    const target = { assignmentId: id, analysisId, nodeId: this.#node.id }
    const reports = new ReportQueue(this.#services.analyses, target)
    this.#reports.add(reports)
    return reports
  }
}

function reasonToEnd(assignment: Assignment | undefined): string | undefined {
  if (!assignment) {
    return 'The node is not assigned to the analysis any more'
  }
  return assignment.approvalStatus === 'approved' ? undefined : 'The approval was withdrawn'
}

const nameOf = ({ name, id }: Assignment['analysis']): string => name ?? id
