import { printable } from '#hubctl/output/printable'
import { EXIT } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'
import type { Api } from '#hubctl/platform/api'

interface Changes {
  readonly masterImage: object | null
  readonly imageCommandArguments: object | null
  readonly entrypoint: { readonly previous: string | null; readonly next: string | null } | null
  readonly files: {
    readonly added: readonly string[]
    readonly removed: readonly string[]
    readonly replaced: readonly string[]
  }
}

/** Of more files, the first. */
const MAX_FILES = 20

/** What changed since the node decided last, a line for each change; nothing if it decided never. */
export async function changesSinceDecision(api: Api, partId: string): Promise<readonly string[]> {
  const changes = await readChanges(api, partId)
  if (!changes) {
    return []
  }
  const { masterImage, imageCommandArguments, entrypoint, files } = changes
  const { added, removed, replaced } = files
  const ofFiles = [
    ...added.map((path) => `file added: ${path}`),
    ...removed.map((path) => `file removed: ${path}`),
    ...replaced.map((path) => `file with other content: ${path}`),
  ]
  const further = ofFiles.length - MAX_FILES
  return [
    ...(masterImage ? ['other image'] : []),
    ...(imageCommandArguments ? ['other arguments'] : []),
    ...(entrypoint
      ? [`entry point: ${entrypoint.previous ?? '–'} → ${entrypoint.next ?? '–'}`]
      : []),
    ...ofFiles.slice(0, MAX_FILES),
    ...(further > 0 ? [`${further} more files`] : []),
  ].map((line) => `since the last decision: ${printable(line)}`)
}

/** Undefined also where the hub does not answer it yet. */
async function readChanges(api: Api, partId: string): Promise<Changes | null | undefined> {
  try {
    const path = `/analysis-nodes/${encodeURIComponent(partId)}/changes`
    const answer = await api.read<{ data: { changes: Changes | null } }>('core', path)
    return answer.data.changes
  } catch (error) {
    if (error instanceof Problem && error.exitCode === EXIT.notFound) {
      return undefined
    }
    throw error
  }
}
