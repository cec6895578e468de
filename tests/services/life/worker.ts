import { connect, type Channel, type ChannelModel } from 'amqplib'

import type { Caller } from './caller.js'

/** What a worker is told, and tells. */
interface Message {
  readonly id: string
  readonly type: string
  readonly data: { readonly id: string }
  readonly metadata: Readonly<Record<string, unknown>>
}

const EXCHANGE = 'FLAME'

/**
 * A worker as another program would be one: plain AMQP and plain HTTP. It builds nothing; it reads what a worker has to read, and tells
 * what a worker tells.
 */
export class PlainWorker {
  readonly #connection: ChannelModel
  readonly #channel: Channel
  readonly #caller: Caller
  /** What it read of the analyses it built. */
  readonly built = new Map<string, { entrypoint: string; paths: string[] }>()
  #repository = { images: [] as readonly object[], groups: [] as readonly object[] }
  /** Why it fails to do what it is told next. */
  #obstacle: string | undefined

  static async start(url: string, caller: Caller): Promise<PlainWorker> {
    const connection = await connect(url)
    const channel = await connection.createChannel()
    const worker = new PlainWorker(connection, channel, caller)
    await channel.assertExchange(EXCHANGE, 'topic')
    await worker.#take('analysisBuilderCommands', (message) =>
      worker.#carryOut(message, 'analysisBuilderEvents', (id) => worker.#build(id))
    )
    await worker.#take('analysisDistributorCommands', (message) =>
      worker.#carryOut(message, 'analysisDistributorEvents', (id) => worker.#distribute(id))
    )
    await worker.#take('masterImageSynchronizerTasks', (message) => worker.#listImages(message))
    return worker
  }

  private constructor(connection: ChannelModel, channel: Channel, caller: Caller) {
    this.#connection = connection
    this.#channel = channel
    this.#caller = caller
  }

  failsNext(reason: string): void {
    this.#obstacle = reason
  }

  /** The images of the repository, which it lists when it is told to. */
  hasImages(images: readonly object[], groups: readonly object[]): void {
    this.#repository = { images, groups }
  }

  async stop(): Promise<void> {
    await this.#connection.close()
  }

  async #take(queue: string, carryOut: (message: Message) => Promise<void>): Promise<void> {
    await this.#channel.assertQueue(queue, { durable: true })
    await this.#channel.prefetch(1)
    await this.#channel.consume(queue, async (delivery) => {
      if (delivery) {
        await carryOut(JSON.parse(delivery.content.toString()) as Message)
        this.#channel.ack(delivery)
      }
    })
  }

  async #listImages({ metadata }: Message): Promise<void> {
    const key = 'masterImageSynchronizerEvents'
    this.#report(key, 'executionFinished', this.#repository, metadata)
  }

  async #carryOut(
    { type, data, metadata }: Message,
    key: string,
    work: (id: string) => Promise<object>
  ): Promise<void> {
    const { id } = data
    if (type === 'check') {
      return this.#report(key, 'checkFinished', { id, status: 'executed' }, metadata)
    }
    this.#report(key, 'executionStarted', { id }, metadata)
    for (const percent of [10, 50, 90]) {
      const progress = { current: percent, total: 100, percent }
      this.#report(key, 'executionProgress', { id, progress }, metadata)
    }
    try {
      this.#stumble()
      this.#report(key, 'executionFinished', { id, ...(await work(id)) }, metadata)
    } catch (error) {
      const { message } = error as Error
      this.#report(key, 'executionFailed', { id, error: { message } }, metadata)
    }
  }

  #stumble(): void {
    const reason = this.#obstacle
    this.#obstacle = undefined
    if (reason !== undefined) {
      throw new Error(reason)
    }
  }

  /** Reads what a build needs, with the queries as workers send them. */
  async #build(id: string): Promise<object> {
    const analysis = await this.#read('core', `/analyses/${id}`)
    const [code] = await this.#read(
      'core',
      `/analysis-buckets?${query(`and(eq(analysisId,'${id}'),eq(type,'CODE'))`)}`
    )
    const [root] = await this.#read(
      'core',
      `/analysis-bucket-files?${query(`and(eq(root,'true'),eq(analysisBucketId,'${code.id}'))`)}`
    )
    const files = await this.#read(
      'core',
      `/analysis-bucket-files?${query(`eq(analysisBucketId,'${code.id}')`)}&page[limit]=50`
    )
    const { directory, name } = await this.#read('storage', `/bucket-files/${root.bucketFileId}`)
    await this.#read('core', `/master-images/${analysis.masterImageId}`)
    const tar = await this.#caller.fetch('storage', `/buckets/${code.bucketId}/stream`)
    if (tar.status !== 200 || (await tar.arrayBuffer()).byteLength < 1024) {
      throw new Error('there is no code to pack')
    }
    const paths = files.map(({ path }: { path: string }) => path)
    this.built.set(id, { entrypoint: `${directory}/${name}`, paths })
    return { hash: `sha256:${id.replaceAll('-', '')}`, os: 'linux', size: 123_456 }
  }

  async #distribute(id: string): Promise<object> {
    const { registryId } = await this.#read('core', `/analyses/${id}`)
    const registry = await this.#read('core', `/registries/${registryId}?fields=%2BaccountSecret`)
    if (!registry.accountSecret) {
      throw new Error('the account of the registry is unknown')
    }
    const nodes = await this.#read(
      'core',
      `/analysis-nodes?${query(`eq(analysisId,'${id}')`)}&page[limit]=50`
    )
    const ids = nodes.map(({ nodeId }: { nodeId: string }) => `'${nodeId}'`).join()
    const found = await this.#read(
      'core',
      `/nodes?${query(`in(id,${ids})`)}&page[limit]=50&include=registryProject`
    )
    if (!found.every((node: any) => node.registryProject?.externalName)) {
      throw new Error('a node has no project in the registry')
    }
    return {}
  }

  #read(service: 'core' | 'storage', path: string): Promise<any> {
    return this.#caller.done(service, 'GET', path)
  }

  /** What is told in answer to a command repeats its metadata. */
  #report(key: string, type: string, data: object, metadata: object): void {
    const id = crypto.randomUUID()
    const routing = { type: 'pubSub', key }
    const message = { id, type, data, metadata: { ...metadata, routing } }
    const bytes = Buffer.from(JSON.stringify(message))
    this.#channel.publish(EXCHANGE, key, bytes, { type, messageId: id, deliveryMode: 1 })
  }
}

const query = (filter: string) => `codec=url-expression&filter=${encodeURIComponent(filter)}`
