import { BadRequest } from '#kernel/failures'

import { isGlobal, isNamespace } from './namespaces.js'
import type { Requirement } from './rooms.js'

/** A topic of subscriptions. */
export interface Topic extends Requirement {
  readonly room: string
  /** The namespaces that offer the topic, if not all do. */
  readonly only?: 'global' | 'realm'
}

export interface SubscriptionRequest {
  readonly topic: Topic
  readonly subscribes: boolean
}

const TARGET = /^[\w.:-]{1,128}$/
const EVENT = /^(\w{1,64}?)(Subscribe|Unsubscribe)$/

/** By the prefix of `Subscribe` and `Unsubscribe`. */
const TOPICS: ReadonlyMap<string, Topic> = new Map(
  Object.entries({
    analysis: everywhere('analysis', [
      'analysis_update',
      'analysis_execution_start',
      'analysis_execution_stop',
    ]),
    analysisBucket: everywhere('analysisBucket', ['analysis_update']),
    analysisBucketFile: everywhere('analysisBucketFile', ['analysis_update']),
    analysisLog: everywhere('analysisLog', ['analysis_update']),
    analysisNode: { room: 'analysisNode', permissions: ['analysis_approve'], only: 'global' },
    analysisNodeIn: { room: 'analysisNode', permissions: ['analysis_approve'], only: 'realm' },
    analysisNodeOut: { room: 'analysisNode', permissions: ['analysis_update'], only: 'realm' },
    analysisNodeEvent: everywhere('analysisNodeEvent', ['analysis_update']),
    bucket: everywhere('bucket', ['bucket_update', 'bucket_delete']),
    bucketFile: everywhere('bucketFile', ['bucket_update', 'bucket_delete']),
    masterImage: everywhere('masterImage', []),
    masterImageGroup: everywhere('masterImageGroup', []),
    node: everywhere('node', ['node_update']),
    project: everywhere('project', ['project_delete', 'project_update']),
    projectNode: { room: 'projectNode', permissions: ['project_approve'], only: 'global' },
    projectNodeIn: { room: 'projectNode', permissions: ['project_approve'], only: 'realm' },
    projectNodeOut: { room: 'projectNode', permissions: ['project_update'], only: 'realm' },
    registry: everywhere('registry', ['registry_manage']),
    registryProject: everywhere('registryProject', ['registry_manage', 'registry_project_manage']),
  } satisfies Record<string, Topic>)
)

function everywhere(room: string, permissions: readonly string[]): Topic {
  return { room, permissions }
}

/** The subscription that an event requests; undefined if the namespace has no such topic. */
export function topicOf(event: string, namespace: string): SubscriptionRequest | undefined {
  const [, name, verb] = EVENT.exec(event) ?? []
  const topic = name === undefined ? undefined : TOPICS.get(name)
  const scope = isGlobal(namespace) ? 'global' : 'realm'
  const isAvailable =
    topic && isNamespace(namespace) && (topic.only === undefined || topic.only === scope)
  return isAvailable ? { topic, subscribes: verb === 'Subscribe' } : undefined
}

/** All records of a type share a room. A single record has a room of its own. */
export function roomOf({ room }: Topic, target: unknown): string {
  if (target === undefined || target === null) {
    return room
  }
  if ((typeof target === 'string' || typeof target === 'number') && TARGET.test(String(target))) {
    return `${room}/${target}`
  }
  throw new BadRequest('Subscribe with the id of one record, or without one for all records')
}
