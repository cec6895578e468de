import { isUuid } from '#kernel/is_uuid'
import { normalizedKind } from '#telemetry/events/reported_event'
import type { LineLabels } from './log_line.js'

/** A record that labels name; its kind in lower case. */
export interface NamedRecord {
  readonly kind: string
  readonly id: string
}

/** The labels that hold the kind and the id of a record. */
const PAIRS = [
  ['refType', 'refId'],
  ['targetType', 'targetId'],
] as const

/** The labels that hold the id of a record of one kind. */
const ID_LABELS: Readonly<Record<string, string>> = {
  analysisId: 'analysis',
  analysisBucketId: 'analysisbucket',
  analysisBucketFileId: 'analysisbucketfile',
  analysisNodeId: 'analysisnode',
  nodeId: 'node',
  projectId: 'project',
  projectNodeId: 'projectnode',
  registryProjectId: 'registryproject',
  bucketId: 'bucket',
  bucketFileId: 'bucketfile',
}

/** What a line is about: its `refType`, in any spelling, with the id that belongs to it. */
export function subjectOf(labels: LineLabels): NamedRecord | undefined {
  const kind = normalizedKind(labels.refType ?? '')
  const isAtNode = kind === 'analysisnode' && labels.refId === undefined
  return recordOf(isAtNode ? 'analysis' : kind, isAtNode ? labels.analysisId : labels.refId)
}

/** All records that the labels of a line name. */
export function recordsIn(labels: LineLabels): NamedRecord[] {
  const pairs = PAIRS.map(([kind, id]) => recordOf(normalizedKind(labels[kind] ?? ''), labels[id]))
  const others = Object.entries(ID_LABELS).map(([name, kind]) => recordOf(kind, labels[name]))
  return [...pairs, ...others].filter((record) => record !== undefined)
}

function recordOf(kind: string, id: string | undefined): NamedRecord | undefined {
  return kind !== '' && id !== undefined && isUuid(id) ? { kind, id: id.toLowerCase() } : undefined
}
