import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { AnalysisImages } from '#node/analyses/analysis_images'
import { CredentialsRefused, HubRefusal, KeyUnpublished, NodeUnknown } from './errors.js'
import { HubAnalyses, type HubNode } from '#node/analyses/hub_analyses'
import { MessageIntake } from '#node/analyses/message_intake'
import { RunRecords } from '#node/analyses/run_record'
import { Scheduler } from '#node/analyses/scheduler'
import type { ContainerDriver } from '#node/containers/container_driver'
import { Hub } from '#node/hub/hub'
import { ImageCache } from '#node/images/image_cache'
import { Inbox } from '#node/messages/inbox'
import { Mailbox } from '#node/messages/mailbox'
import { Receiver } from '#node/messages/receiver'
import { SealedMessages } from '#node/messages/sealed_messages'
import { SendQueue } from '#node/messages/send_queue'
import { KeyPair } from '#node/seal/key_pair'
import { createSocketFolder } from './socket_folder.js'
import type { NodeSettings } from '#node/settings/node_settings'

export interface NodeProcessOptions {
  readonly settings: NodeSettings
  readonly containers: ContainerDriver
  /** Receives one line about each action of the node. */
  readonly onLine: (line: string) => void
}

/** A running node: runs the analyses that a hub distributes to it, and transports their messages. */
export class NodeProcess {
  readonly #scheduler: Scheduler
  readonly #receiver: Receiver
  readonly #queue: SendQueue
  readonly #socketFolder: string

  private constructor(
    readonly name: string,
    scheduler: Scheduler,
    receiver: Receiver,
    queue: SendQueue,
    socketFolder: string
  ) {
    this.#scheduler = scheduler
    this.#receiver = receiver
    this.#queue = queue
    this.#socketFolder = socketFolder
  }

  /** Returns when the node is logged in and has started to work. */
  static async start({ settings, containers, onLine }: NodeProcessOptions): Promise<NodeProcess> {
    const { folder, policy, imagesPath, signingKey } = settings
    const hub = new Hub(settings.hub, settings.credentials, containers.unbounded)
    const analyses = new HubAnalyses(hub)
    const node = await findNode(analyses, settings)
    const approver = settings.approver && new HubAnalyses(new Hub(settings.hub, settings.approver))
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const keys = await KeyPair.open(join(folder, 'node.key'))
    await publishKey(node, keys, approver ?? analyses)
    await containers.recover()
    const mailbox = new Mailbox(hub)
    const queue = await SendQueue.open(join(folder, 'outgoing'), mailbox, ({ analysisId }, error) =>
      onLine(`A message of the analysis ${analysisId} was refused: ${error.message}`)
    )
    const inbox = await Inbox.open(join(folder, 'incoming'))
    await rm(join(folder, 'transfers'), { recursive: true, force: true })
    const socketFolder = await createSocketFolder(folder)
    const cache = new ImageCache(join(folder, 'images'), { maxBytes: policy.imageBytes })
    await cache.recover()
    const services = {
      hub,
      analyses,
      images: new AnalysisImages(hub, analyses, cache, { imagesPath, keys: signingKey }),
      containers,
      keys,
      messages: new SealedMessages(keys, queue),
      inbox,
      policy,
      approver: policy.approve === 'auto' ? approver : undefined,
      folder,
      socketFolder,
    }
    const records = new RunRecords(join(folder, 'runs'))
    const scheduler = new Scheduler(services, node, records, { onLine })
    const runOf = (analysisId: string) => scheduler.runOf(analysisId)
    const intake = new MessageIntake({ nodeId: node.id, analyses, inbox, runOf })
    const receiver = new Receiver(
      mailbox,
      (messages) => intake.take(messages),
      ({ message }) => onLine(`The mailbox cannot be read: ${message}`)
    )
    await scheduler.start()
    receiver.start()
    return new NodeProcess(node.name, scheduler, receiver, queue, socketFolder)
  }

  /** Ends all analyses of this node, and reports them as stopped. */
  async stop(): Promise<void> {
    await this.#scheduler.stop()
    await this.#receiver.stop()
    await this.#queue.stop()
    await rm(this.#socketFolder, { recursive: true, force: true })
  }
}

/** The first request of the node, which includes its login. */
async function findNode(
  analyses: HubAnalyses,
  { credentials: { id }, credentialsFile, hub: { url } }: NodeSettings
): Promise<HubNode> {
  const node = await analyses.findNode(id).catch((error: unknown) => {
    const isRefused = error instanceof HubRefusal && [400, 401].includes(error.status)
    throw isRefused ? new CredentialsRefused(url, credentialsFile, error) : error
  })
  if (!node) {
    throw new NodeUnknown(id)
  }
  return node
}

/** Other nodes encrypt for this key, so the hub must have it. */
async function publishKey(node: HubNode, keys: KeyPair, analyses: HubAnalyses): Promise<void> {
  if (node.publicKey === keys.publicKeyText) {
    return
  }
  try {
    await analyses.publishKey(node.id, keys.publicKeyText)
  } catch (error) {
    throw error instanceof HubRefusal && error.status === 403
      ? new KeyUnpublished(node.name, keys.publicKeyText)
      : error
  }
}
