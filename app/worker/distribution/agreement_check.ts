import { JobFailure } from '#worker/job_failure'
import { imageOutdated } from './approved_image.js'
import type { Platform } from '#worker/platform/platform'

/** What the platform says of an analysis at one moment. */
interface AnalysisState {
  /** The digest of what it consists of; undefined where the platform does not tell. */
  readonly content: string | undefined
  readonly agreeing: ReadonlySet<string>
  readonly assigned: ReadonlySet<string>
}

/**
 * Looks at the platform right before a node gets an image, whether it still is of what the analysis consists of, and whether the node
 * agreed to that. Nodes that ask while a look is under way share the next one: none is told what was seen before it asked.
 */
export class AgreementCheck {
  readonly #platform: Platform
  readonly #analysisId: string
  readonly #content: string | undefined
  #running: Promise<AnalysisState> | undefined
  #next: Promise<AnalysisState> | undefined

  /** `content` is the digest of what the image was made of, where it says so. */
  constructor(platform: Platform, analysisId: string, content: string | undefined) {
    this.#platform = platform
    this.#analysisId = analysisId
    this.#content = content
  }

  async requireAgreement(nodeId: string): Promise<void> {
    this.#next ??= this.#read()
    const { content, agreeing, assigned } = await this.#next
    if (!assigned.has(nodeId)) {
      throw new JobFailure('nodeNotAssigned', 'The node is not assigned to the analysis any more')
    }
    if (content !== undefined && content !== this.#content) {
      throw imageOutdated()
    }
    if (!agreeing.has(nodeId)) {
      throw new JobFailure('nodeNotApproved', 'The node has not agreed to the analysis as it is')
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

  /** Where the platform tells of statuses only. Where approvals are not asked for, nodes have none and the analysis is ready all the same. */
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
