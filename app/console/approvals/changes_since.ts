import type { Page } from '#console/page'
import { argumentText } from './content.js'
import { diffLines, type DiffLine } from './diff_lines.js'

interface Difference<T> {
  readonly previous: T | null
  readonly next: T | null
}

interface Image {
  readonly virtualPath: string
  readonly command: string | null
  readonly commandArguments: unknown
}

/** The response of core. */
interface Answer {
  readonly decision: {
    readonly approvalStatus: 'approved' | 'rejected'
    readonly decidedAt: string
    readonly actorName: string | null
  } | null
  readonly changes: {
    readonly masterImage: Difference<Image> | null
    readonly imageCommandArguments: Difference<unknown> | null
    readonly entrypoint: Difference<string> | null
    readonly files: {
      readonly added: readonly string[]
      readonly removed: readonly string[]
      readonly replaced: readonly string[]
      readonly total: number
    }
  } | null
}

/** The changes in the content of an analysis since the last decision of a node. */
export interface ChangesSince {
  readonly verdict: 'approved' | 'rejected'
  readonly decidedAt: string
  readonly by: string | null
  readonly lines: readonly DiffLine[]
  /** The number of changed files without a line. */
  readonly further: number
}

/** The changes since the last decision that core has stored; undefined without a decision. */
export async function changesSince(page: Page, partId: string): Promise<ChangesSince | undefined> {
  const answer = await page.hub.optional(
    page.hub.read<{ data: Answer }>('core', `/analysis-nodes/${partId}/changes`)
  )
  const { decision, changes } = answer?.data ?? {}
  if (!decision || !changes) {
    return undefined
  }
  const { masterImage, imageCommandArguments, entrypoint, files } = changes
  return {
    verdict: decision.approvalStatus,
    decidedAt: decision.decidedAt,
    by: decision.actorName,
    lines: [
      ...linesOf(masterImage, imageText),
      ...linesOf(imageCommandArguments, argumentText),
      ...linesOf(entrypoint, (path) => page.t('approvals.changes.entrypoint', { path })),
      ...marked('removed', files.removed),
      ...files.replaced.map((path): DiffLine => ({
        kind: 'added',
        text: page.t('approvals.changes.replaced', { path }),
      })),
      ...marked('added', files.added),
    ],
    further: files.total - files.added.length - files.removed.length - files.replaced.length,
  }
}

function linesOf<T>(difference: Difference<T> | null, text: (value: T) => string): DiffLine[] {
  if (difference === null) {
    return []
  }
  const textOf = (value: T | null): string => (value === null ? '' : text(value))
  return diffLines(textOf(difference.previous), textOf(difference.next))
}

const imageText = ({ virtualPath, command, commandArguments }: Image): string =>
  [virtualPath, command ?? '', argumentText(commandArguments)]
    .filter((line) => line !== '')
    .join('\n')

const marked = (kind: DiffLine['kind'], paths: readonly string[]): DiffLine[] =>
  paths.map((text) => ({ kind, text }))
