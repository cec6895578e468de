import type { ChangeType } from '#records/events'
import type { Routing } from './message.js'

/** The topic exchange that carries the events of all peers. */
export const EVENT_EXCHANGE = 'FLAME'

/** Queues of commands. Other programs declare them as well, so they never get arguments. */
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

/** Declared because peers declare it: nobody publishes to it, and nobody consumes it. */
export const UNUSED_QUEUES: ReadonlySet<string> = new Set([COMMAND_QUEUES.storageBucketFile])

/** Keys under which components tell what became of their commands. */
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

/** The way of a command: into one queue, to one taker. */
export function commandRouting(queue: CommandQueue): Routing {
  return { type: 'work', key: queue }
}

/** The way of an event: to every queue that is bound to its key. */
export function eventRouting(key: string): Routing {
  return { type: 'pubSub', key }
}

/** The key under which changes of a kind of record are told. */
export function domainEventKey(kind: string, change: ChangeType): string {
  return `domain.${kind}.${change}`
}

/** Where the messages of a queue end that could not be handled. */
export function deadQueueOf(queue: string): string {
  return `${queue}.dead`
}
