import { COMMAND_QUEUES, EVENT_KEYS, type CommandQueue, type EventKey } from '#bus/names'

export type CommandName = 'execute' | 'check'

/** A part of the worker: its queue, its events, and its log labels. */
export interface Component {
  readonly name: string
  readonly queue: CommandQueue
  readonly events: EventKey
  /** The kind of record its commands refer to, and the log label with its ID. */
  readonly refType: 'analysis' | 'masterImage'
  readonly idLabel: 'analysisId' | 'masterImageId'
  /** Allows only one job at a time. */
  readonly isSingle?: boolean
}

export const COMPONENTS = {
  analysisBuilder: {
    name: 'analysisBuilder',
    queue: COMMAND_QUEUES.analysisBuilder,
    events: EVENT_KEYS.analysisBuilder,
    refType: 'analysis',
    idLabel: 'analysisId',
  },
  analysisDistributor: {
    name: 'analysisDistributor',
    queue: COMMAND_QUEUES.analysisDistributor,
    events: EVENT_KEYS.analysisDistributor,
    refType: 'analysis',
    idLabel: 'analysisId',
  },
  masterImageBuilder: {
    name: 'masterImageBuilder',
    queue: COMMAND_QUEUES.masterImageBuilder,
    events: EVENT_KEYS.masterImageBuilder,
    refType: 'masterImage',
    idLabel: 'masterImageId',
  },
  masterImageSynchronizer: {
    name: 'masterImageSynchronizer',
    queue: COMMAND_QUEUES.masterImageSynchronizer,
    events: EVENT_KEYS.masterImageSynchronizer,
    refType: 'masterImage',
    idLabel: 'masterImageId',
    isSingle: true,
  },
} as const satisfies Record<string, Component>
