import { JobFailure, failureReport, type FailureReport } from '#worker/job_failure'

/** The result for one node, as reported in events. */
export type NodeResult = DeliveredNode | FailedNode

interface DeliveredNode {
  readonly nodeId: string
  readonly status: 'executed'
  readonly artifactTag: string
  readonly artifactDigest: string
}

export interface FailedNode {
  readonly nodeId: string
  readonly status: 'failed'
  readonly error: FailureReport
}

const MAX_NAMED = 3

export const failedNode = (nodeId: string, error: unknown): FailedNode => ({
  nodeId,
  status: 'failed',
  error: failureReport(error),
})

const isFailed = (result: NodeResult): result is FailedNode => result.status === 'failed'

/** Some nodes did not get the image. The results of all nodes are reported. */
class DistributionIncomplete extends JobFailure {
  readonly #results: readonly NodeResult[]

  constructor(results: readonly NodeResult[], nameOf: (nodeId: string) => string) {
    const missing = results.filter(isFailed)
    const [first] = missing
    const isOneReason = missing.every(({ error }) => error.code === first?.error.code)
    const reasons = missing
      .slice(0, MAX_NAMED)
      .map(({ nodeId, error }) => `${nameOf(nodeId)}: ${error.message}`)
    const more = missing.length > MAX_NAMED ? `; and ${missing.length - MAX_NAMED} more` : ''
    super(
      isOneReason && first ? first.error.code : 'distributionIncomplete',
      `${missing.length} of ${results.length} nodes do not have the image. ${reasons.join('; ')}${more}`
    )
    this.#results = results
  }

  override get eventData() {
    return { nodes: this.#results }
  }
}

/** Returns the event data if every node has the image, otherwise throws. */
export function requireAllDelivered(
  results: readonly NodeResult[],
  nameOf: (nodeId: string) => string
): { readonly nodes: readonly NodeResult[] } {
  if (results.some(isFailed)) {
    throw new DistributionIncomplete(results, nameOf)
  }
  return { nodes: results }
}
