import { JobFailure } from '#worker/job_failure'
import { imageOutdated } from './approved_image.js'
import type { Platform } from '#worker/platform/platform'

/** The state of an analysis at one point in time. */
interface AnalysisState {
  /** The content digest. Undefined if the platform does not report it. */
  readonly content: string | undefined
  readonly agreeing: ReadonlySet<string>
  readonly assigned: ReadonlySet<string>
}

/**
 * Checks, right before a node gets the image, that the content is unchanged and the node approved it. Concurrent
 * callers share a read that starts after their call, so no result is stale.
 */
export class AgreementCheck {
  readonly #platform: Platform
  readonly #analysisId: string
  readonly #content: string | undefined
  #running: Promise<AnalysisState> | undefined
  #next: Promise<AnalysisState> | undefined

  /** `content` is the content digest of the image, if it has one. */
  constructor(platform: Platform, analysisId: string, content: string | undefined) {
    this.#platform = platform
    this.#analysisId = analysisId
    this.#content = content
  }

  async requireAgreement(nodeId: string): Promise<void> {
    this.#next ??= this.#read()
    const { content, agreeing, assigned } = await this.#next
    if (!assigned.has(nodeId)) {
      throw new JobFailure('nodeNotAssigned', 'The node is no longer assigned to the analysis')
    }
    if (content !== undefined && content !== this.#content) {
      throw imageOutdated()
    }
    if (!agreeing.has(nodeId)) {
      throw new JobFailure(
        'nodeNotApproved',
        'The node has not approved the current content of the analysis'
      )
    }
  }

  async #read(): Promise<AnalysisState> {
    await this.#running?.catch(() => {})
    this.#running = this.#next
    this.#next = undefined
    const content = await this.#platform.analysisContent(this.#analysisId)
    if (!content) {
      return this.#readStatuses()
    }
    const agreeing = content.nodes.filter(({ agrees }) => agrees)
    return {
      content: content.digest,
      agreeing: new Set(agreeing.map(({ nodeId }) => nodeId)),
      assigned: new Set(content.nodes.map(({ nodeId }) => nodeId)),
    }
  }

  /** Falls back to approval statuses. Without an approval process, nodes have no status and the analysis is ready. */
  async #readStatuses(): Promise<AnalysisState> {
    const [analysis, nodes] = await Promise.all([
      this.#platform.analysis(this.#analysisId),
      this.#platform.analysisNodes(this.#analysisId),
    ])
    const isReady = analysis?.buildNodesValid === true
    const agreeing = nodes.filter(
      ({ approvalStatus: status }) => status === 'approved' || (!status && isReady)
    )
    return {
      content: undefined,
      agreeing: new Set(agreeing.map(({ nodeId }) => nodeId)),
      assigned: new Set(nodes.map(({ nodeId }) => nodeId)),
    }
  }
}
