import { isUuid } from '#kernel/is_uuid'

/** The source of log lines about an analysis: the hub, or one of its nodes. */
export interface LogSource {
  /** The id of the node; undefined for the hub. */
  readonly nodeId: string | undefined
}

export interface LogLine {
  readonly time: string
  readonly level: string
  readonly message: string
  readonly labels: Readonly<Record<string, string>>
}

/** Reads the source from a URL: `of` is the id of a node. */
export function logSourceOf(query: URLSearchParams): LogSource {
  const nodeId = query.get('of') ?? ''
  return { nodeId: isUuid(nodeId) ? nodeId : undefined }
}

/** The path of core for the lines of a source. */
export function logPath(analysisId: string, { nodeId }: LogSource, limit?: number): string {
  const query = new URLSearchParams({
    'filter[analysisId]': analysisId,
    ...(nodeId !== undefined && { 'filter[nodeId]': nodeId }),
    ...(limit !== undefined && { 'page[limit]': String(limit) }),
  })
  return `${nodeId === undefined ? '/analysis-logs' : '/analysis-node-logs'}?${query}`
}
