import type { ChangeType } from '#records/events'
import type { Routing } from './message.js'

/** The topic exchange of all events. */
export const EVENT_EXCHANGE = 'FLAME'

/** Command queues. Other programs declare them as well, so they have no arguments. */
export const COMMAND_QUEUES = {
  analysisBuilder: 'analysisBuilderCommands',
  analysisDistributor: 'analysisDistributorCommands',
  masterImageBuilder: 'masterImageBuilderTasks',
  masterImageSynchronizer: 'masterImageSynchronizerTasks',
  registry: 'registryCommands',
  analysisMetadata: 'analysisMetadataTasks',
  storageBucket: 'storageBucketTasks',
  storageBucketFile: 'storageBucketFileTasks',
  telemetryEvent: 'telemetryEventTasks',
  telemetryLog: 'telemetryLogTasks',
} as const

/** Queues of commands that a worker consumes. */
export const WORKER_QUEUES: readonly string[] = [
  COMMAND_QUEUES.analysisBuilder,
  COMMAND_QUEUES.analysisDistributor,
  COMMAND_QUEUES.masterImageBuilder,
  COMMAND_QUEUES.masterImageSynchronizer,
]

/** Queues that a worker sends to, besides its dead letters. */
export const WORKER_TARGETS: readonly string[] = [COMMAND_QUEUES.telemetryLog]

/** Leads to the queues that a worker sends to, and to no other. */
export const WORKER_EXCHANGE = 'hub.worker'

/** Declared for compatibility: it has neither publishers nor consumers. */
export const UNUSED_QUEUES: ReadonlySet<string> = new Set([COMMAND_QUEUES.storageBucketFile])

/** Routing keys of the events that answer commands. */
export const EVENT_KEYS = {
  analysisBuilder: 'analysisBuilderEvents',
  analysisDistributor: 'analysisDistributorEvents',
  masterImageBuilder: 'masterImageBuilderEvents',
  masterImageSynchronizer: 'masterImageSynchronizerEvents',
  registry: 'registryEvents',
  storageBucket: 'storageBucketEvents',
  storageBucketFile: 'storageBucketFileEvents',
  telemetryEvent: 'telemetryEventEvents',
  telemetryLog: 'telemetryLogEvents',
} as const

export type CommandQueue = (typeof COMMAND_QUEUES)[keyof typeof COMMAND_QUEUES]
export type EventKey = (typeof EVENT_KEYS)[keyof typeof EVENT_KEYS]

/** Routes a command to one queue. */
export function commandRouting(queue: CommandQueue): Routing {
  return { type: 'work', key: queue }
}

/** Routes an event to every queue that is bound to its key. */
export function eventRouting(key: string): Routing {
  return { type: 'pubSub', key }
}

/** The routing key of changes to a kind of record. */
export function domainEventKey(kind: string, change: ChangeType): string {
  return `domain.${kind}.${change}`
}

/** The dead letter queue of a queue. */
export function deadQueueOf(queue: string): string {
  return `${queue}.dead`
}
