import { COMMAND_QUEUES, EVENT_KEYS, type CommandQueue, type EventKey } from '#bus/names'

export type CommandName = 'execute' | 'check'

/** What a part of the worker takes and tells, and how its lines in the log are found again. */
export interface Component {
  readonly name: string
  readonly queue: CommandQueue
  readonly events: EventKey
  /** What its commands are about: the kind of record, and the label that holds its id. */
  readonly refType: 'analysis' | 'masterImage'
  readonly idLabel: 'analysisId' | 'masterImageId'
  /** What is there once is done once at a time, whatever else is done side by side. */
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
