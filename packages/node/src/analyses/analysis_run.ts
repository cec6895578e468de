import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { sleep } from '#kernel/backoff'
import type { Container, ContainerExit } from '#node/containers/container_driver'
import type { DataSource } from '#node/data_sources/data_source'
import type { AnalysisReport } from '#node/gateway/report_routes'
import { AnalysisTokens } from '#node/gateway/tokens'
import { SealBroken } from '#node/errors'
import { retryWhileAway } from '#node/hub/retry_requests'
import type { UnpackedImage } from '#node/images/image_cache'
import { OVERFLOWED } from '#node/messages/inbox'
import type { ReceivedMessage } from '#node/messages/receiver'
import { AnalysisGateway } from './analysis_gateway.js'
import { AnalysisProcess } from './analysis_process.js'
import type { AssignedAnalysis } from './assigned_analysis.js'
import type { Assignment, Participation, RunResult } from './hub_analyses.js'
import { OutputLog } from './output_log.js'
import type { ReportQueue } from './report_queue.js'
import type { RunServices } from './run_services.js'
import { RunTrace } from './run_trace.js'

export interface RunOptions {
  readonly assignment: Assignment
  readonly analysis: AssignedAnalysis
  readonly sources: readonly DataSource[]
  readonly restart: number
  readonly reports: ReportQueue
  /** The trace that the run continues. */
  readonly traceparent: string | undefined
}

const GRACE_MS = 2_000
/** Final statuses: the analysis only has to exit. */
const FINAL: ReadonlySet<string> = new Set(['executed', 'failed', 'stopped'])
const POLL_MS = 500
const DELIVERY_PAUSE_MS = 250
/** A token is replaced when it has less lifetime left than this. */
const RENEW_AHEAD_SECONDS = 600

/** One run of an analysis at this node, from its image to its end. */
export class AnalysisRun {
  readonly #services: RunServices
  readonly #options: RunOptions
  readonly #tokens: AnalysisTokens
  readonly #process: AnalysisProcess
  readonly #output: OutputLog
  readonly #stopped = new AbortController()
  readonly #socketFolder: string
  readonly #transferFolder: string
  #analysis: AssignedAnalysis
  #container: Container | undefined
  #reported: string | undefined
  #failure: string | undefined
  #handingOut: Promise<void> | undefined
  #partners = ''
  #trace = new RunTrace()
  /** Resolves with the result after the cleanup. */
  readonly ended: Promise<RunResult>

  constructor(services: RunServices, options: RunOptions) {
    const { analysis, assignment, traceparent, reports } = options
    this.#services = services
    this.#options = options
    this.#analysis = analysis
    this.#tokens = new AnalysisTokens(analysis.id)
    this.#socketFolder = join(services.socketFolder, analysis.id)
    this.#transferFolder = join(services.folder, 'transfers', analysis.id)
    this.#process = new AnalysisProcess(this.#inboundSocket)
    this.#output = new OutputLog(join(services.folder, 'output', `${analysis.id}.log`))
    this.ended = RunTrace.during(traceparent, assignment, (trace) => {
      this.#trace = trace
      reports.useTrace(trace)
      return this.#run()
    })
  }

  get analysisId(): string {
    return this.#analysis.id
  }

  /** The clients of the nodes that take part. */
  get clientIds(): ReadonlySet<string> {
    return new Set(this.#analysis.participants.map(({ clientId }) => clientId))
  }

  /** Updates the nodes of the analysis, and reports their executions to it. */
  update(participations: readonly Participation[]): void {
    const participants = participations.map(({ participant }) => participant)
    this.#analysis = { ...this.#analysis, participants }
    const others = participations.flatMap(({ participant: { nodeId }, executionStatus: status }) =>
      nodeId === this.#analysis.self.nodeId || status === null ? [] : [[nodeId, status] as const]
    )
    const text = JSON.stringify(others)
    if (others.length > 0 && text !== this.#partners) {
      this.#partners = text
      void this.#process
        .reportPartners(Object.fromEntries(others), this.#stopped.signal)
        .catch(() => {
          this.#partners = ''
        })
    }
  }

  /** Stops the run in any phase. The reason is written to the log of the analysis. */
  stop(reason: string): void {
    if (!this.#stopped.signal.aborted) {
      this.#options.reports.log('warn', reason, 'stopped')
      this.#stopped.abort()
    }
  }

  /** Fails the run. The reason is written to the log of the analysis. */
  fail(reason: string): void {
    this.#failure ??= reason
    this.#stopped.abort()
  }

  /** Decrypts a message and returns when the analysis has accepted it, or has ended. */
  async #deliver(received: ReceivedMessage): Promise<void> {
    const text = this.#open(received)
    const { signal } = this.#stopped
    while (text !== undefined && !signal.aborted) {
      try {
        return await this.#process.deliver(text, signal)
      } catch {
        await sleep(DELIVERY_PAUSE_MS, signal)
      }
    }
  }

  async #run(): Promise<RunResult> {
    const { reports } = this.#options
    try {
      return await this.#execute()
    } catch (error) {
      if (this.#stopped.signal.aborted && this.#failure === undefined) {
        return 'stopped'
      }
      reports.log('error', this.#failure ?? (error as Error).message, 'failed')
      return 'failed'
    } finally {
      this.#stopped.abort()
      await this.#cleanUp()
    }
  }

  async #execute(): Promise<RunResult> {
    const { reports, assignment } = this.#options
    const { images, inbox } = this.#services
    reports.report({ executionStatus: 'starting' })
    if (inbox.hasOverflowed(assignment.analysisId)) {
      this.fail(OVERFLOWED)
    }
    reports.log('info', 'Pulls and verifies the image', 'pull')
    const { signal } = this.#stopped
    const image = await this.#trace.step('Pull the image', () =>
      retryWhileAway(() => images.prepare(assignment, signal), signal)
    )
    const gateway = await this.#openGateway()
    try {
      this.#stopped.signal.throwIfAborted()
      reports.log('info', 'Starts the container', 'start')
      this.#container = await this.#trace.step('Start the container', () =>
        this.#startContainer(image)
      )
      reports.report({ executionStatus: 'started' })
      this.#handingOut = this.#handOut()
      return await this.#watch(this.#container)
    } finally {
      await gateway.close()
      await image.release()
    }
  }

  async #startContainer(image: UnpackedImage): Promise<Container> {
    const { containers, policy } = this.#services
    return containers.start({
      name: this.#deploymentName,
      rootPath: image.rootPath,
      command: image.command,
      variables: { ...image.variables, ...(await this.#variables()) },
      workingFolder: image.workingFolder,
      limits: policy.limits,
      gatewayHost: `nginx-${this.#deploymentName}`,
      gatewaySocket: this.#gatewaySocket,
      inboundSocket: this.#inboundSocket,
      onLine: (line, stream) => this.#output.add(line, stream),
      onRefusal: (sentence) => this.#refused(sentence),
    })
  }

  /** Waits until the analysis reports a final status, its container ends, or the run is stopped. */
  async #watch(container: Container): Promise<RunResult> {
    let exit: ContainerExit | undefined
    void container.exited.then((ended) => {
      exit = ended
      this.#stopped.abort()
    })
    const { signal } = this.#stopped
    while (!signal.aborted) {
      await this.#poll()
      if (this.#hasReportedItsEnd) {
        await container.stop(GRACE_MS)
        return this.#resultAsReported()
      }
      await sleep(POLL_MS, signal)
    }
    return exit ? this.#resultOf(exit) : this.#stop(container)
  }

  get #hasReportedItsEnd(): boolean {
    return FINAL.has(this.#reported ?? '')
  }

  /** An analysis usually stops by itself because others have ended. */
  #resultAsReported(): RunResult {
    if (this.#reported === 'stopped') {
      const partners = /failed|stopped/.test(this.#partners)
      const reason = partners
        ? 'The analysis stopped here, because another node has failed or was stopped'
        : 'The analysis stopped by itself'
      this.#options.reports.log('warn', reason, 'stopped')
    }
    if (this.#reported === 'failed') {
      this.#reportFailure('The analysis says that it has failed')
    }
    return this.#reported as RunResult
  }

  async #stop(container: Container): Promise<RunResult> {
    const { reports } = this.#options
    reports.report({ executionStatus: 'stopping' })
    await container.stop(GRACE_MS)
    if (this.#failure === undefined) {
      return 'stopped'
    }
    reports.log('error', this.#failure, 'failed')
    return 'failed'
  }

  async #handOut(): Promise<void> {
    try {
      const deliver = (message: ReceivedMessage) => this.#deliver(message)
      await this.#services.inbox.handOut(this.analysisId, deliver, this.#stopped.signal)
    } catch (error) {
      this.fail(`Its messages cannot be read: ${(error as Error).message}`)
    }
  }

  /** Reads the state of the analysis, repeatedly while it does not respond yet. */
  async #poll(): Promise<void> {
    const health = await this.#process.health(this.#stopped.signal).catch(() => undefined)
    if (!health) {
      return
    }
    this.#take(health.status)
    const left = health.token_remaining_time
    if (typeof left === 'number' && left < RENEW_AHEAD_SECONDS) {
      await this.#tokens.renew((token) => this.#process.renewToken(token, this.#stopped.signal))
    }
  }

  #resultOf({ code, signal, message }: ContainerExit): RunResult {
    if (this.#hasReportedItsEnd) {
      return this.#resultAsReported()
    }
    if (code === 0) {
      return 'executed'
    }
    this.#reportFailure(message ?? `The analysis ended with ${signal ?? `code ${code}`}`)
    return 'failed'
  }

  /** The reason of a failure, with the end of the error output as far as the policy shares it. */
  #reportFailure(reason: string): void {
    const { reports } = this.#options
    const { sharesErrors, sharesErrorValues } = this.#services.policy
    reports.log('error', reason, 'failed')
    const lines = sharesErrors ? this.#output.errors.report(sharesErrorValues) : []
    lines.forEach((line) => reports.log('error', line, 'output'))
  }

  /** A status that the analysis reports about itself. */
  #take(status: string | undefined): void {
    if (status === undefined || status === this.#reported || this.#hasReportedItsEnd) {
      return
    }
    this.#reported = status
    if (status === 'executing') {
      this.#options.reports.report({ executionStatus: 'executing' })
    }
  }

  #report({ log, level, status, progress }: AnalysisReport): void {
    const { reports } = this.#options
    this.#logOfAnalysis(levelOf(level), log)
    if (progress !== undefined && progress >= 0 && progress <= 100) {
      reports.report({ executionProgress: Math.floor(progress) })
    }
    this.#take(status)
  }

  /** A line with text from the analysis. It may show data, so the policy decides whether it is reported. */
  #logOfAnalysis(level: string, text: string, code?: string): void {
    const { sharesLogs, sharesErrors, sharesErrorValues } = this.#services.policy
    const isShared = sharesLogs && (!ERRORS.has(level) || (sharesErrors && sharesErrorValues))
    if (isShared) {
      this.#options.reports.logOfAnalysis(level, text, code)
    } else {
      this.#output.addLogLine(level, text)
    }
  }

  /** Requests that its gateway did not answer as the analysis wants. */
  #refused(sentence: string): void {
    this.#logOfAnalysis('warn', sentence, 'gateway')
  }

  async #openGateway(): Promise<AnalysisGateway> {
    const { sources } = this.#options
    await mkdir(this.#socketFolder, { recursive: true, mode: 0o711 })
    await mkdir(this.#transferFolder, { recursive: true, mode: 0o700 })
    return AnalysisGateway.open(this.#services, {
      analysis: () => this.#analysis,
      sources,
      socket: this.#gatewaySocket,
      transferFolder: this.#transferFolder,
      tokens: this.#tokens,
      trace: this.#trace,
      signal: this.#stopped.signal,
      onReport: (report) => this.#report(report),
      onRefusal: (sentence) => this.#refused(sentence),
    })
  }

  async #variables(): Promise<Record<string, string>> {
    const { id, projectId } = this.#analysis
    return {
      ANALYSIS_ID: id,
      PROJECT_ID: projectId,
      DEPLOYMENT_NAME: this.#deploymentName,
      KEYCLOAK_TOKEN: await this.#tokens.issue(),
      DATA_SOURCE_TOKEN: this.#tokens.data,
    }
  }

  #open(received: ReceivedMessage): string | undefined {
    try {
      return this.#services.messages.open(this.#analysis, received)
    } catch (error) {
      if (!(error instanceof SealBroken)) {
        throw error
      }
      const text = `A message was dropped. ${error.message}`
      this.#options.reports.logOfAnalysis('warn', text, 'message')
      return undefined
    }
  }

  async #cleanUp(): Promise<void> {
    await this.#container?.stop(0)
    await this.#handingOut
    await this.#output.close()
    await rm(this.#socketFolder, { recursive: true, force: true })
    await rm(this.#transferFolder, { recursive: true, force: true })
  }

  get #deploymentName(): string {
    return `analysis-${this.#analysis.id}-${this.#options.restart}`
  }

  get #gatewaySocket(): string {
    return join(this.#socketFolder, 'out')
  }

  get #inboundSocket(): string {
    return join(this.#socketFolder, 'in')
  }
}

/** Levels of the container API that the hub does not have. */
const LEVELS: Readonly<Record<string, string>> = { warning: 'warn', critical: 'crit' }
const ERRORS: ReadonlySet<string> = new Set(['error', 'crit', 'emerg'])
const KNOWN = new Set(['emerg', 'alert', 'crit', 'error', 'warn', 'notice', 'info', 'debug'])

const levelOf = (level: string): string => (KNOWN.has(level) ? level : (LEVELS[level] ?? 'info'))
