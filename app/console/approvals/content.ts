import type { Page } from '#console/page'

/** Files per page; an analysis may have thousands. */
const MAX_FILES = 200

interface CodeFile {
  readonly bucketFileId: string
  readonly path: string
  readonly root: boolean
}

interface Code {
  readonly digest: string
  readonly masterImage: {
    readonly virtualPath: string
    readonly command: string | null
    readonly commandArguments: readonly object[] | null
  } | null
  readonly imageCommandArguments: readonly object[] | null
  readonly total: number
  readonly files: readonly CodeFile[]
}

/** The content that a node approves: the code, its image and the arguments. */
export interface Content {
  readonly digest: string
  readonly image: string | undefined
  readonly command: string | null
  readonly arguments: string
  readonly files: readonly { readonly path: string; readonly isEntrypoint: boolean }[]
  readonly total: number
}

/** The current content of an analysis; undefined if it has no code yet. */
export async function readContent(page: Page, analysisId: string): Promise<Content | undefined> {
  const code = await page.hub.optional(
    page.hub.read<{ data: Code }>('core', `/analyses/${analysisId}/code`)
  )
  if (!code) {
    return undefined
  }
  const { digest, masterImage, imageCommandArguments, files, total } = code.data
  return {
    digest,
    image: masterImage?.virtualPath,
    command: masterImage?.command ?? null,
    arguments: argumentText(imageCommandArguments),
    files: files.slice(0, MAX_FILES).map(({ path, root }) => ({ path, isEntrypoint: root })),
    total,
  }
}

/** Arguments as text with a line for each value, so that two versions can be compared. */
export const argumentText = (values: unknown): string =>
  values === null || values === undefined ? '' : JSON.stringify(values, null, 2)
