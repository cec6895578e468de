/** A file of the code. Its id stands for its bytes, which never change. */
interface ContentFile {
  readonly bucketFileId: string
  readonly path: string
  readonly root: boolean
}

/** What a node decides about. */
export interface DecidedContent {
  readonly masterImage: Readonly<Record<string, unknown>> | null
  readonly imageCommandArguments: unknown
  readonly files: readonly ContentFile[]
}

/** The values of one part before and now. */
interface Difference {
  readonly previous: unknown
  readonly next: unknown
}

/** What differs between two contents; null for parts that are the same. */
export interface ContentChanges {
  readonly masterImage: Difference | null
  readonly imageCommandArguments: Difference | null
  readonly entrypoint: Difference | null
  readonly files: {
    readonly added: readonly string[]
    readonly removed: readonly string[]
    readonly replaced: readonly string[]
    /** How many there are; the lists may be shorter. */
    readonly total: number
  }
}

const MAX_PATHS = 1_000

/** Compares the content of a decision with the current one. */
export function compareContent(previous: DecidedContent, next: DecidedContent): ContentChanges {
  const before = byPath(previous)
  const now = byPath(next)
  const added = [...now.keys()].filter((path) => !before.has(path))
  const removed = [...before.keys()].filter((path) => !now.has(path))
  const replaced = [...now].flatMap(([path, ids]) => {
    const former = before.get(path)
    return former !== undefined && former !== ids ? [path] : []
  })
  return {
    masterImage: differenceOf(previous.masterImage, next.masterImage),
    imageCommandArguments: differenceOf(previous.imageCommandArguments, next.imageCommandArguments),
    entrypoint: differenceOf(entrypointOf(previous), entrypointOf(next)),
    files: {
      added: added.slice(0, MAX_PATHS),
      removed: removed.slice(0, MAX_PATHS),
      replaced: replaced.slice(0, MAX_PATHS),
      total: added.length + removed.length + replaced.length,
    },
  }
}

/** The ids of the files at each path: several buckets may have the same path. */
function byPath({ files }: DecidedContent): ReadonlyMap<string, string> {
  const ids = new Map<string, string[]>()
  for (const { path, bucketFileId } of files) {
    ids.set(path, [...(ids.get(path) ?? []), bucketFileId])
  }
  return new Map([...ids].map(([path, of]) => [path, of.toSorted().join()]))
}

const entrypointOf = ({ files }: DecidedContent): string | null =>
  files.find(({ root }) => root)?.path ?? null

function differenceOf(previous: unknown, next: unknown): Difference | null {
  return textOf(previous) === textOf(next)
    ? null
    : { previous: previous ?? null, next: next ?? null }
}

/** The database returns the keys of both in the same order. */
const textOf = (value: unknown): string => JSON.stringify(value ?? null)
