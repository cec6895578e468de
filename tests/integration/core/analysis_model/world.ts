import { newMessage } from '#bus/message'
import { EVENT_KEYS, eventRouting } from '#bus/names'
import { analysisFileConsumer } from '#core/analysis_bucket_files/file_events'
import { analysisBucketConsumer } from '#core/analysis_buckets/bucket_events'
import { silentWorkerSweep } from '#core/analysis_life/watchdog'
import { buildConsumer, distributionConsumer } from '#core/analysis_life/worker_events'
import { project } from '#core/projects/project'
import { registry } from '#core/registries/registry'
import { realm } from '#identity/realms/realm'
import { runDueTasks } from '#jobs/tasks/task_worker'
import { clock } from '#kernel/clock'
import { Failure } from '#kernel/failures'
import type { Origin } from '#kernel/origin'
import { inTransaction } from '#records/transaction'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

import { killedMidway } from './death.js'
import { Deliveries } from './deliveries.js'
import { DONE, type WorkerReport } from './model.js'
import type { CommandName } from './rules.js'
import type { Services } from './services.js'
import { snapshotOf } from './snapshot.js'
import type { BucketType, Decision, NodeState, ProcessName, Status } from './state.js'

const SILENCE_S = 60

/**
 * A project of the platform with all that an analysis needs, addressed by the numbers of the model. Steps return the same
 * outcomes as those of the model.
 */
export class World {
  readonly #services: Services
  readonly #deliveries: Deliveries
  readonly #ids = new Map<string, string>()
  readonly #requests = new Map<BucketType, string>()
  /** The images of the repository, with the version of each. */
  readonly #listed = new Map<number, number>()
  readonly #realmId: string
  readonly #projectId: string
  readonly #registryId: string
  readonly #origin: Origin
  #isDying = false
  /** The id of the current or last analysis. */
  analysisId = clock.uuid()

  private constructor(services: Services, realmId: string, projectId: string, registryId: string) {
    this.#services = services
    this.#deliveries = new Deliveries(services.pool)
    this.#realmId = realmId
    this.#projectId = projectId
    this.#registryId = registryId
    const { actor } = identity({ id: clock.uuid() })
    this.#origin = { ...services.platform, actor }
  }

  static async set(services: Services): Promise<World> {
    const { id: realmId } = await sampleRecord('identity', realm)
    const values = { realmId, masterImageId: null }
    const { id: projectId } = await sampleRecord('core', project, values)
    await services.pool.query('update projects set master_image_id = null where id = $1', [
      projectId,
    ])
    const { id: registryId } = await sampleRecord('core', registry)
    const world = new World(services, String(realmId), String(projectId), String(registryId))
    await world.#deliveries.start()
    return world
  }

  end(): Promise<void> {
    return this.#deliveries.stop()
  }

  /** The id of something, by its kind and its number. */
  id(kind: 'node' | 'member' | 'image' | 'bucket' | 'file' | 'run', number: number): string {
    const name = `${kind} ${number}`
    const id = this.#ids.get(name) ?? clock.uuid()
    this.#ids.set(name, id)
    return id
  }

  async addNode({ key, type, projectDecision, hasRegistry }: NodeState): Promise<void> {
    const { pool } = this.#services
    const id = this.id('node', key)
    await pool.query(
      'insert into nodes (id, name, type, realm_id, registry_id) values ($1, $2, $3, $4, $5)',
      [id, `node-${id}`, type, this.#realmId, hasRegistry ? this.#registryId : null]
    )
    await pool.query(
      `insert into project_nodes (id, project_id, project_realm_id, node_id, node_realm_id, approval_status)
       values ($1, $2, $4, $3, $4, $5)`,
      [this.id('member', key), this.#projectId, id, this.#realmId, projectDecision]
    )
  }

  async addImage(image: number): Promise<void> {
    this.#listed.set(image, 0)
    const { name, path, virtualPath, command } = this.#imageListed(image)
    await this.#services.pool.query(
      `insert into master_images (id, name, path, virtual_path, group_virtual_path, command, command_arguments)
       values ($1, $2, $3, $4, '', $5, '[]')`,
      [this.id('image', image), name, path, virtualPath, command]
    )
  }

  async create(image: number | null): Promise<string> {
    const masterImageId = image === null ? null : this.id('image', image)
    const body = { projectId: this.#projectId, masterImageId }
    const answer = await this.#services.analyses.create(this.#origin, body as never)
    this.analysisId = (JSON.parse(answer) as { id: string }).id
    await this.#numberRequests()
    return DONE
  }

  remove(): Promise<string> {
    return this.#outcome(() => this.#services.analyses.remove(this.#origin, this.analysisId))
  }

  async run(command: CommandName): Promise<string> {
    const outcome = await this.#outcome(() =>
      this.#services.commands.run(this.#origin, this.analysisId, command)
    )
    if (command === 'storageCheck') {
      await this.#numberRequests()
    }
    return outcome
  }

  assign(node: number): Promise<string> {
    const body = { analysisId: this.analysisId, nodeId: this.id('node', node) }
    return this.#outcome(() => this.#services.analysisNodes.create(this.#origin, body))
  }

  async unassign(node: number): Promise<string> {
    const id = await this.#assignment(node)
    return this.#outcome(() => this.#services.analysisNodes.remove(this.#origin, id))
  }

  async report(
    node: number,
    body:
      | { approvalStatus: Decision }
      | { executionStatus: Status | null; executionProgress: number | null }
  ): Promise<string> {
    const id = await this.#assignment(node)
    return this.#outcome(() => this.#services.analysisNodes.update(this.#origin, id, body))
  }

  change(body: { masterImageId: string | null } | { imageCommandArguments: object[] | null }) {
    const { analyses } = this.#services
    return this.#outcome(() => analyses.update(this.#origin, this.analysisId, body as never))
  }

  decideOnProject(node: number, approvalStatus: Decision): Promise<string> {
    const id = this.id('member', node)
    return this.#outcome(() =>
      this.#services.projectNodes.update(this.#origin, id, { approvalStatus } as never)
    )
  }

  changeType(node: number, type: NodeState['type']): Promise<string> {
    const id = this.id('node', node)
    return this.#outcome(() => this.#services.nodes.update(this.#origin, id, { type }))
  }

  removeNode(node: number): Promise<string> {
    return this.#outcome(() => this.#services.nodes.remove(this.#origin, this.id('node', node)))
  }

  /** Sets the registry directly; how operators do that is not tested here. */
  async setRegistry(node: number, hasRegistry: boolean): Promise<void> {
    await this.#services.pool.query('update nodes set registry_id = $2 where id = $1', [
      this.id('node', node),
      hasRegistry ? this.#registryId : null,
    ])
  }

  async removeImage(image: number): Promise<string> {
    const outcome = await this.#outcome(() =>
      this.#services.images.remove(this.#origin, this.id('image', image), { isForced: true })
    )
    if (outcome === DONE) {
      this.#listed.delete(image)
    }
    return outcome
  }

  /** A synchronization finds a changed image. */
  async changeImage(image: number, version: number): Promise<string> {
    const { pool, images, platform } = this.#services
    const former = this.#listed.get(image)!
    this.#listed.set(image, version)
    const listed = [...this.#listed.keys()].map((key) => this.#imageListed(key))
    const outcome = await this.#outcome(() =>
      inTransaction(pool, (it) =>
        images.replaceCatalogue(it, platform, { images: listed, groups: [] })
      )
    )
    if (outcome !== DONE) {
      this.#listed.set(image, former)
    }
    return outcome
  }

  addBucket(type: BucketType, bucket: number): Promise<string> {
    const body = { type, bucketId: this.id('bucket', bucket), analysisId: this.analysisId }
    return this.#outcome(() => this.#services.buckets.create(this.#origin, body))
  }

  async removeBucket(bucket: number): Promise<string> {
    const id = await this.#bucketRow(bucket)
    return this.#outcome(() => this.#services.buckets.remove(this.#origin, id))
  }

  async addFile(bucket: number, file: number, attributes: { path: string; root: boolean }) {
    const body = {
      ...attributes,
      bucketId: this.id('bucket', bucket),
      bucketFileId: this.id('file', file),
      analysisBucketId: await this.#bucketRow(bucket),
    }
    return this.#outcome(() => this.#services.files.create(this.#origin, body))
  }

  async changeFile(bucket: number, file: number, change: { path?: string; root?: boolean }) {
    const id = await this.#fileRow(bucket, file)
    return this.#outcome(() => this.#services.files.update(this.#origin, id, change as never))
  }

  async removeFile(bucket: number, file: number): Promise<string> {
    const id = await this.#fileRow(bucket, file)
    return this.#outcome(() => this.#services.files.remove(this.#origin, id))
  }

  damage(file: number): void {
    this.#services.damaged.add(this.id('file', file))
  }

  /** Delivers an event of storage in the order of the test. */
  async storageReports(
    what: 'bucket' | 'file',
    type: 'creationFinished' | 'deletionFinished',
    { data, correlationId }: { data: Record<string, unknown>; correlationId?: string }
  ): Promise<void> {
    const [consumer, key] =
      what === 'bucket'
        ? [analysisBucketConsumer, EVENT_KEYS.storageBucket]
        : [analysisFileConsumer, EVENT_KEYS.storageBucketFile]
    await this.#deliveries.deliver(
      consumer,
      newMessage(eventRouting(key), type, data, { correlationId })
    )
  }

  bucketCreated(type: BucketType, bucket: number): Promise<void> {
    const data = { id: this.id('bucket', bucket) }
    const correlationId = this.#requests.get(type)
    return this.storageReports('bucket', 'creationFinished', {
      data,
      ...(correlationId && { correlationId }),
    })
  }

  async workerReports({
    process,
    report,
    run,
    percent,
    status,
    problem,
    hash,
  }: WorkerReport): Promise<void> {
    const [consumer, key] =
      process === 'build'
        ? [buildConsumer, EVENT_KEYS.analysisBuilder]
        : [distributionConsumer, EVENT_KEYS.analysisDistributor]
    const data = {
      id: this.analysisId,
      ...(report === 'executionProgress' && { progress: { percent } }),
      ...(report === 'checkFinished' && { status }),
      ...(problem !== null && { error: { message: problem } }),
      ...(hash !== null && { hash }),
    }
    const metadata = run === null ? {} : { run: this.id('run', run) }
    await this.#deliveries.deliver(consumer, newMessage(eventRouting(key), report, data, metadata))
  }

  repeat(back: number): Promise<void> {
    return this.#deliveries.repeat(back)
  }

  /** Moves the last reports into the past and runs the sweep. */
  async noReports(): Promise<string> {
    await this.#services.pool.query(
      `update analysis_runs set reported_at = reported_at - interval '1 hour',
         check_requested_at = check_requested_at - interval '1 hour'`
    )
    return this.#outcome(() => silentWorkerSweep(SILENCE_S).run(new AbortController().signal))
  }

  /**
   * Runs work in a process that dies with its database connection. Its unacknowledged messages are delivered to the next
   * one.
   */
  async dying(work: () => Promise<string>): Promise<string> {
    const { pool } = this.#services
    this.#isDying = true
    try {
      return await killedMidway(pool, this.analysisId, work, () => this.#deliveries.stop())
    } finally {
      this.#isDying = false
      await this.#deliveries.start()
    }
  }

  /** Everything that is compared with the model, after locks are released and these buckets are deleted. */
  async snapshot(deletedBuckets: readonly number[]) {
    await runDueTasks(this.#services.releases)
    const entries = deletedBuckets.map((bucket) => `bucket/${this.id('bucket', bucket)}`)
    return snapshotOf(this.#services.pool, this.analysisId, entries)
  }

  /** Assigns a number to the current run of a process. */
  async numberRun(process: ProcessName, number: number): Promise<void> {
    const { rows } = await this.#services.pool.query<{ run: string }>(
      'select run from analysis_runs where analysis_id = $1 and process = $2',
      [this.analysisId, process]
    )
    this.#ids.set(`run ${number}`, rows[0]?.run ?? 'none')
  }

  #imageListed(image: number) {
    const name = `image-${this.id('image', image)}`
    const command = `version ${this.#listed.get(image)}`
    return { name, path: `/${name}`, virtualPath: name, command }
  }

  async #numberRequests(): Promise<void> {
    const { rows } = await this.#services.pool.query<{ type: BucketType; id: string }>(
      'select type, correlation_id as id from analysis_bucket_requests where analysis_id = $1',
      [this.analysisId]
    )
    rows.forEach(({ type, id }) => this.#requests.set(type, id))
  }

  async #assignment(nodeNumber: number): Promise<string> {
    return this.#rowId('analysis_nodes', { node_id: this.id('node', nodeNumber) })
  }

  #bucketRow(bucket: number): Promise<string> {
    return this.#rowId('analysis_buckets', { bucket_id: this.id('bucket', bucket) })
  }

  #fileRow(bucket: number, file: number): Promise<string> {
    return this.#rowId('analysis_bucket_files', {
      bucket_id: this.id('bucket', bucket),
      bucket_file_id: this.id('file', file),
    })
  }

  async #rowId(table: string, values: Record<string, string>): Promise<string> {
    const conditions = Object.keys(values).map((name, index) => `${name} = $${index + 2}`)
    const { rows } = await this.#services.pool.query<{ id: string }>(
      `select id from ${table} where analysis_id = $1 and ${conditions.join(' and ')}`,
      [this.analysisId, ...Object.values(values)]
    )
    return rows[0]?.id ?? clock.uuid()
  }

  async #outcome(work: () => Promise<unknown>): Promise<string> {
    try {
      await work()
      return DONE
    } catch (error) {
      return this.#refusal(error)
    }
  }

  #refusal(error: unknown): string {
    if (error instanceof Failure && [404, 409].includes(error.status)) {
      return String(error.status)
    }
    if (error instanceof Failure && error.status === 400) {
      return ['400', ...error.issues.map(({ code }) => code)].join(' ')
    }
    if (this.#isDying) {
      return DIED
    }
    throw error
  }
}

export const DIED = 'died'
