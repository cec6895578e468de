import { codeOf, contentOf, derivedOf } from './derived.js'
import { unmetOf, type CommandName } from './rules.js'
import {
  BUCKET_TYPES,
  isWorking,
  NOT_STARTED,
  type AnalysisState,
  type Assignment,
  type BucketType,
  type Decision,
  type FileState,
  type ImageState,
  type NodeState,
  type NodeType,
  type ProcessName,
  type Status,
} from './state.js'

export const DONE = 'done'
export const LOCKED = '400 configuration_locked'
export const TAKEN = '409'
export const PROCESS_RUNNING = '409'

/** A message to a worker. */
export interface WorkerCommand {
  readonly process: ProcessName
  readonly type: 'execute' | 'check'
  readonly run: number | null
}

export interface WorkerReport {
  readonly process: ProcessName
  readonly report:
    | 'executionStarted'
    | 'executionProgress'
    | 'executionFinished'
    | 'executionFailed'
    | 'checkFinished'
  /** Null if the worker does not report it. */
  readonly run: number | null
  readonly percent: number
  readonly status: Status | null
  readonly problem: string | null
  readonly hash: string | null
}

/** Why it failed, if it did. */
function problemOf({ process, report, status, problem }: WorkerReport): string | null {
  if (report === 'checkFinished') {
    const missing = {
      build: 'The registry has no image of the analysis: build it again',
      distribution: 'The image is missing at a node: distribute it again',
    }
    return status === 'failed' ? (problem ?? missing[process]) : null
  }
  return report === 'executionFailed' ? (problem ?? 'The worker reported no reason') : null
}

/**
 * A reference model of the life of an analysis. It has no transactions, messages or rows: each step is done at once, or
 * returns the reason why not.
 */
export class Model {
  readonly nodes = new Map<number, NodeState>()
  /** Descriptions of all steps, for error messages. */
  readonly log: string[] = []
  /** The images that can be chosen. */
  images: ImageState[] = []
  readonly sent: WorkerCommand[] = []
  /** Buckets whose deletion was requested. */
  readonly deletedBuckets: number[] = []
  /** Files whose records callers removed while storage has them. */
  removedFiles: FileState[] = []
  analysis: AnalysisState | undefined
  /** Requests of deleted analyses. */
  readonly formerRequests = new Set<BucketType>()
  /** Unique over nodes, images, buckets, files and runs. */
  #lastNumber = 0

  nextNumber(): number {
    return ++this.#lastNumber
  }

  create(image: ImageState | null): string {
    const members = [...this.nodes.values()].filter((node) => node.projectDecision === 'approved')
    this.sent.length = 0
    this.formerRequests.clear()
    this.removedFiles = []
    this.analysis = {
      locked: false,
      image,
      arguments: null,
      hasRegistry: false,
      build: NOT_STARTED(),
      distribution: NOT_STARTED(),
      buildHash: null,
      assignments: members.map(({ key, type }) => assignmentOf(key, type)),
      buckets: [],
      requests: new Map(BUCKET_TYPES.map((type) => [type, null])),
      files: [],
      damaged: new Set(),
    }
    return DONE
  }

  remove(): string {
    const { buckets, requests } = this.now
    this.deletedBuckets.push(...buckets.map(({ bucket }) => bucket))
    for (const [type, created] of requests) {
      if (created === null) {
        this.formerRequests.add(type)
      } else {
        this.deletedBuckets.push(created)
      }
    }
    this.analysis = undefined
    return DONE
  }

  get now(): AnalysisState {
    return this.analysis!
  }

  derived() {
    return derivedOf(this.now, this.nodes)
  }

  run(command: CommandName): string {
    this.#withdrawOutdated()
    const process = command.startsWith('build') ? 'build' : 'distribution'
    const isStart = command.endsWith('Start')
    const isDamaged = isStart && codeOf(this.now).some(({ key }) => this.now.damaged.has(key))
    if (isDamaged) {
      this.#withdrawAll()
    }
    const unmet = unmetOf(command, this.now, this.nodes, isDamaged)
    if (unmet.length > 0) {
      return `400 ${unmet.join(' ')}`
    }
    this.#execute(command, process)
    return DONE
  }

  assign(node: number): string {
    const { type } = this.nodes.get(node)!
    if (this.now.locked) {
      return LOCKED
    }
    if (!this.now.assignments.some((one) => one.node === node)) {
      this.now.assignments.push(assignmentOf(node, type))
    }
    return DONE
  }

  unassign(node: number): string {
    const { assignments } = this.now
    assignments.splice(
      assignments.findIndex((one) => one.node === node),
      1
    )
    this.#withdrawAfterRemoval()
    return DONE
  }

  decide(node: number, decision: Decision): string {
    const assignment = this.now.assignments.find((one) => one.node === node)!
    assignment.decision = decision
    assignment.digest = decision === 'approved' ? contentOf(this.now) : null
    return DONE
  }

  execute(node: number, status: Status | null, progress: number | null): string {
    Object.assign(
      this.now.assignments.find((one) => one.node === node)!,
      { status, progress }
    )
    return DONE
  }

  /** Another node replaces it in the project, but not in the analysis. */
  replaceNode(node: number, next: NodeState): string {
    if (this.analysis?.assignments.some((one) => one.node === node)) {
      this.unassign(node)
    }
    this.nodes.delete(node)
    this.nodes.set(next.key, next)
    return DONE
  }

  chooseImage(image: ImageState | null): string {
    const isOther = image?.key !== this.now.image?.key
    if (isOther && this.now.locked) {
      return LOCKED
    }
    if (isOther) {
      this.now.image = image
      this.now.arguments = null
      this.#withdrawOutdated()
    }
    return DONE
  }

  chooseArguments(args: string | null): string {
    if (args !== this.now.arguments && this.now.locked) {
      return LOCKED
    }
    if (args !== this.now.arguments) {
      this.now.arguments = args
      this.#withdrawOutdated()
    }
    return DONE
  }

  /** An image changed, or was removed and another one added. */
  replaceImage(image: ImageState, next: ImageState): string {
    this.images = this.images.map((one) => (one.key === image.key ? next : one))
    if (this.analysis?.image?.key === image.key) {
      const isRemoved = next.key !== image.key
      Object.assign(this.now, isRemoved ? { image: null, arguments: null } : { image: next })
      this.#withdrawOutdated()
    }
    return DONE
  }

  /** A caller adds a bucket. */
  addBucket(type: BucketType, bucket: number): string {
    if (type === 'CODE' && this.now.locked) {
      return LOCKED
    }
    this.now.buckets.push({ type, bucket, isBuiltIn: false })
    return DONE
  }

  /** A caller removes the record of a bucket. */
  removeBucketRecord(bucket: number): string {
    return this.#isProcessed({ bucket }) ? PROCESS_RUNNING : this.removeBucket(bucket)
  }

  removeBucket(bucket: number): string {
    const isCode = this.#isCode({ bucket })
    this.now.buckets = this.now.buckets.filter((one) => one.bucket !== bucket)
    this.now.files = this.now.files.filter((file) => file.bucket !== bucket)
    if (isCode) {
      this.#withdrawAfterRemoval()
      this.#withdrawOutdated()
    }
    return DONE
  }

  /** Storage created a requested bucket. An analysis gets its missing buckets once all of them exist. */
  bucketCreated(type: BucketType, bucket: number): void {
    if (!this.analysis) {
      if (this.formerRequests.delete(type)) {
        this.deletedBuckets.push(bucket)
      }
      return
    }
    const { requests, buckets } = this.now
    if (requests.get(type) !== null) {
      return
    }
    requests.set(type, bucket)
    const missing = this.#missingTypes()
    const isComplete = missing.every((one) => typeof requests.get(one) === 'number')
    for (const [one, created] of [...requests]) {
      const isMissing = missing.includes(one)
      if (created === null || (isMissing && !isComplete)) {
        continue
      }
      requests.delete(one)
      if (isMissing) {
        buckets.push({ type: one, bucket: created, isBuiltIn: true })
      } else {
        this.deletedBuckets.push(created)
      }
    }
  }

  addFile(file: FileState): string {
    if (this.now.files.some(({ key, bucket }) => key === file.key && bucket === file.bucket)) {
      return DONE
    }
    if (this.#isCode(file) && this.now.locked) {
      return LOCKED
    }
    if (this.#at(file)) {
      return TAKEN
    }
    this.#putFile(file)
    return DONE
  }

  changeFile(file: FileState, change: { path?: string; root?: boolean }): string {
    if (this.#isCode(file) && this.now.locked) {
      return LOCKED
    }
    const next = { ...file, ...change }
    const other = this.#at(next)
    if (other && other !== file) {
      return TAKEN
    }
    if (next.path !== file.path || next.root !== file.root) {
      this.now.files = this.now.files.filter((one) => one !== file)
      this.#putFile(next)
    }
    return DONE
  }

  /** A caller removes the record of a file, which storage still has. */
  removeFileRecord(file: FileState): string {
    if (this.#isProcessed(file)) {
      return PROCESS_RUNNING
    }
    this.removedFiles.push(file)
    return this.removeFile(file)
  }

  removeFile(file: FileState): string {
    this.now.files = this.now.files.filter((one) => one !== file)
    if (this.#isCode(file)) {
      this.#withdrawAfterRemoval()
      this.#withdrawOutdated()
    }
    return DONE
  }

  /** Storage stored a file, which replaces the file at the same path. */
  fileStored(file: FileState): void {
    const isKnown = this.analysis?.buckets.some(({ bucket }) => bucket === file.bucket)
    const isSame = (one: FileState) => one.key === file.key && one.bucket === file.bucket
    if (!isKnown || this.removedFiles.some(isSame) || this.now.files.some(isSame)) {
      return
    }
    const former = this.#at(file)
    if (former) {
      this.removeFile(former)
    }
    this.#putFile(file)
  }

  applyReport(report: WorkerReport): void {
    const state = this.analysis?.[report.process]
    if (!state || !this.#applies(report)) {
      return
    }
    const problem = problemOf(report)
    this.#apply(report)
    Object.assign(state.run!, { isCheckPending: false, wasUnresponsive: false, problem })
  }

  /** No worker has reported within the limit. */
  noReports(seconds: number): void {
    for (const process of ['build', 'distribution'] as const) {
      const state = this.analysis?.[process]
      if (!state?.run || !isWorking(state.status)) {
        continue
      }
      if (state.run.isCheckPending) {
        const problem = `No worker has reported for ${2 * seconds} seconds, not even after a check: see that a worker runs, then start again`
        state.status = 'failed'
        Object.assign(state.run, { isCheckPending: false, wasUnresponsive: true, problem })
      } else {
        this.#check(process)
      }
    }
  }

  #execute(command: CommandName, process: ProcessName): void {
    const analysis = this.now
    switch (command) {
      case 'configurationLock':
        analysis.locked = true
        return
      case 'configurationUnlock':
        this.#withdrawAll()
        this.#resetExecutions()
        Object.assign(analysis, {
          locked: false,
          build: NOT_STARTED(),
          distribution: NOT_STARTED(),
        })
        analysis.buildHash = null
        return
      case 'buildStart':
        this.#resetExecutions()
        Object.assign(analysis, { distribution: NOT_STARTED(), buildHash: null })
        return this.#start('build')
      case 'distributionStart':
        analysis.hasRegistry = true
        return this.#start('distribution')
      case 'buildCheck':
      case 'distributionCheck':
        return this.#check(process)
      case 'storageCheck':
        this.#missingTypes()
          .filter((type) => !analysis.requests.has(type))
          .forEach((type) => analysis.requests.set(type, null))
    }
  }

  #start(process: ProcessName): void {
    const number = this.nextNumber()
    this.now[process] = {
      status: 'starting',
      progress: null,
      run: { number, isCheckPending: false, wasUnresponsive: false, problem: null },
    }
    this.sent.push({ process, type: 'execute', run: number })
  }

  #check(process: ProcessName): void {
    const { run } = this.now[process]
    run!.isCheckPending = true
    this.sent.push({ process, type: 'check', run: run!.number })
  }

  /** Whether a report is neither late, nor outdated, nor about another run. */
  #applies({ process, report, run, status: reported }: WorkerReport): boolean {
    const { status, run: known } = this.now[process]
    const isNamed = run !== null && run === known?.number
    if (status === null || !isNamed) {
      return false
    }
    const wasUnresponsive = status === 'failed' && run !== null && known!.wasUnresponsive
    switch (report) {
      case 'executionStarted':
        return ['starting', 'started'].includes(status) || wasUnresponsive
      case 'executionProgress':
        return ['starting', 'started', 'executing'].includes(status) || wasUnresponsive
      case 'executionFinished':
        return isWorking(status) || (status === 'failed' && run !== null)
      case 'executionFailed':
        return isWorking(status) || wasUnresponsive
      case 'checkFinished':
        return reported !== null && (isWorking(status) || !isWorking(reported))
    }
  }

  #apply({ process, report, percent, status: reported, hash }: WorkerReport): void {
    const state = this.now[process]
    const isBuild = process === 'build'
    const outcome = report === 'checkFinished' ? reported! : report
    switch (outcome) {
      case 'executionStarted':
        Object.assign(state, { status: 'started', progress: state.progress ?? 0 })
        return
      case 'executionProgress':
        state.status = state.status === 'failed' ? 'started' : state.status
        state.progress = Math.max(state.progress ?? 0, Math.min(percent, 100))
        return
      case 'executionFinished':
      case 'executed':
        Object.assign(state, { status: 'executed', progress: 100 })
        if (isBuild && (report === 'executionFinished' || hash !== null)) {
          this.now.buildHash = hash
        }
        return
      case 'executionFailed':
        state.status = 'failed'
        return
      case 'failed':
        Object.assign(state, { status: 'failed', progress: 0 })
        if (isBuild) {
          this.now.buildHash = hash
        }
        return
      default:
        state.status = outcome
    }
  }

  /** Adds a file. A new root replaces the former one of its bucket, or of all code buckets. */
  #putFile(file: FileState): void {
    const isBeside = (other: FileState) =>
      other.bucket === file.bucket || (this.#isCode(other) && this.#isCode(file))
    this.now.files
      .filter((other) => file.root && isBeside(other))
      .forEach((other) => (other.root = false))
    this.now.files.push(file)
    if (this.#isCode(file)) {
      this.#withdrawOutdated()
    }
  }

  #at({ bucket, path }: FileState): FileState | undefined {
    return this.now.files.find((one) => one.bucket === bucket && one.path === path)
  }

  /** Code that is being built or distributed. */
  #isProcessed(place: Pick<FileState, 'bucket'>): boolean {
    const { build, distribution } = this.now
    return this.#isCode(place) && (isWorking(build.status) || isWorking(distribution.status))
  }

  #isCode({ bucket }: Pick<FileState, 'bucket'>): boolean {
    return this.now.buckets.some((one) => one.bucket === bucket && one.type === 'CODE')
  }

  /** The types of missing built-in buckets; locked code gets none. */
  #missingTypes(): BucketType[] {
    const { buckets, locked } = this.now
    return BUCKET_TYPES.filter(
      (type) =>
        !buckets.some((one) => one.isBuiltIn && one.type === type) && !(type === 'CODE' && locked)
    )
  }

  /** Withdraws approvals of other content. */
  #withdrawOutdated(): void {
    const content = contentOf(this.now)
    this.#deciding()
      .filter(({ decision, digest }) => decision === 'approved' && digest !== content)
      .forEach(withdraw)
  }

  /** After a removal from an analysis that is locked and not built. */
  #withdrawAfterRemoval(): void {
    if (this.now.locked && this.now.build.status === null) {
      this.#withdrawAll()
    }
  }

  #withdrawAll(): void {
    this.#deciding().forEach(withdraw)
  }

  #resetExecutions(): void {
    this.now.assignments.forEach((one) => Object.assign(one, { status: null, progress: null }))
  }

  /** All nodes but aggregators, which do not decide. */
  #deciding(): Assignment[] {
    return this.now.assignments.filter(({ node }) => this.nodes.get(node)!.type !== 'aggregator')
  }
}

function withdraw(assignment: Assignment): void {
  Object.assign(assignment, { decision: null, digest: null })
}

function assignmentOf(node: number, type: NodeType): Assignment {
  const decision = type === 'aggregator' ? 'approved' : null
  return { node, decision, digest: null, status: null, progress: null }
}
