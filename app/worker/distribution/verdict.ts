import { JobFailure, toldFailure, type ToldFailure } from '#worker/job_failure'

/** What became of one node, as it is told. */
export type Verdict = Served | Unserved

export interface Served {
  readonly nodeId: string
  readonly status: 'executed'
  readonly artifactTag: string
  readonly artifactDigest: string
}

export interface Unserved {
  readonly nodeId: string
  readonly status: 'failed'
  readonly error: ToldFailure
}

const MOST_NAMED = 3

export const unserved = (nodeId: string, error: unknown): Unserved => ({
  nodeId,
  status: 'failed',
  error: toldFailure(error),
})

const isUnserved = (verdict: Verdict): verdict is Unserved => verdict.status === 'failed'

/** Some nodes do not have the image. What all others have is told all the same, and stays there. */
export class DistributionIncomplete extends JobFailure {
  readonly #verdicts: readonly Verdict[]

  constructor(verdicts: readonly Verdict[], nameOf: (nodeId: string) => string) {
    const missing = verdicts.filter(isUnserved)
    const [first] = missing
    const isOneReason = missing.every(({ error }) => error.code === first?.error.code)
    const reasons = missing
      .slice(0, MOST_NAMED)
      .map(({ nodeId, error }) => `${nameOf(nodeId)}: ${error.message}`)
    const more = missing.length > MOST_NAMED ? `; and ${missing.length - MOST_NAMED} more` : ''
    super(
      isOneReason && first ? first.error.code : 'distributionIncomplete',
      `${missing.length} of ${verdicts.length} nodes do not have the image. ${reasons.join('; ')}${more}`
    )
    this.#verdicts = verdicts
  }

  override get told() {
    return { nodes: this.#verdicts }
  }
}

/** Answers what is told where every node has the image; throws where one has not. */
export function requireAllServed(
  verdicts: readonly Verdict[],
  nameOf: (nodeId: string) => string
): { readonly nodes: readonly Verdict[] } {
  if (verdicts.some(isUnserved)) {
    throw new DistributionIncomplete(verdicts, nameOf)
  }
  return { nodes: verdicts }
}
