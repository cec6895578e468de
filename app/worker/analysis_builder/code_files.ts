import type { Platform } from '#worker/platform/platform'
import type { RecordOf } from '#worker/platform/records'
import { JobFailure } from '#worker/job_failure'
import { MANY, type BucketTars } from './bucket_tars.js'

/** More, or larger ones, are no code. */
const MOST_FILES = 50_000
const LARGEST_BYTES = 4 * 1024 ** 3
const MOST_BYTES = 16 * 1024 ** 3
const LONGEST_PATH = 512

/** A file of the code of an analysis, as storage has it. */
export interface CodeFile {
  readonly bucketFileId: string
  readonly path: string
  readonly size: number
  /** What storage took when it was uploaded, in hexadecimal digits; undefined where it does not tell. */
  readonly sha256: string | undefined
}

export interface Code {
  readonly bucketId: string
  readonly files: readonly CodeFile[]
  /** The one that is run. */
  readonly entrypoint: string
  readonly bytes: number
  /** What else the approved content names, read together with the files; undefined where the platform does not tell. */
  readonly runs: Runs | undefined
}

/** The image that the code runs on, and with what. */
export interface Runs {
  readonly masterImage: RecordOf<'masterImage'> | undefined
  readonly imageCommandArguments: RecordOf<'analysis'>['imageCommandArguments']
}

/** What the analysis knows of a file. */
type Known = RecordOf<'analysisCode'>['files'][number]
/** What storage knows of it. */
type Stored = RecordOf<'bucketFiles'>['files'][number]

/**
 * The code of an analysis: what the analysis knows of, and nodes agreed to, and what storage has have to be the same files. Where they are many, they are
 * on their way from then on. `content` is the digest of what a build was asked for: files of any other content are refused, whatever it is a moment later.
 */
export async function codeOf(
  platform: Platform,
  analysisId: string,
  tars: BucketTars,
  content?: string
): Promise<Code> {
  const known = await knownFiles(platform, analysisId)
  const root = known?.files.find((file) => file.root)
  if (!known || !root) {
    throw new JobFailure(
      'entrypointNotFound',
      'None of the files of the analysis is its entrypoint'
    )
  }
  requireContent(known, content)
  if (known.files.length >= MANY) {
    tars.expect(known.bucketId)
  }
  const files = await filesOf(platform, known)
  const entrypoint = files.find(({ bucketFileId }) => bucketFileId === root.bucketFileId)
  if (!entrypoint) {
    throw new JobFailure('entrypointNotFound', 'The entrypoint of the analysis is not stored')
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  requireBounds(files, bytes)
  const { bucketId } = known
  return { bucketId, files, entrypoint: entrypoint.path, bytes, runs: runsIn(known) }
}

/** The files that the analysis knows of, as storage has them: those of its bucket, and of others that were added to it. */
export async function filesOf(
  platform: Platform,
  { bucketId: builtIn, total, files: known }: RecordOf<'analysisCode'>
): Promise<CodeFile[]> {
  requireFew(total)
  const byBucket = Map.groupBy(known, ({ bucketId }) => bucketId ?? builtIn)
  const files: CodeFile[] = []
  for (const bucketId of new Set([builtIn, ...byBucket.keys()])) {
    const stored = await storedFiles(platform, bucketId)
    requireFew(stored.total)
    files.push(...matched(byBucket.get(bucketId) ?? [], stored.files))
  }
  requireOwnPaths(files)
  return files
}

/** Files of several buckets come into one folder. */
function requireOwnPaths(files: readonly CodeFile[]): void {
  const paths = new Set<string>()
  for (const { path } of files) {
    if (paths.has(path)) {
      throw new JobFailure(
        'codePathTaken',
        `Two buckets of the analysis have a file ${shown(path)}: remove one of the two, and have the analysis approved again`
      )
    }
    paths.add(path)
  }
}

function requireContent({ digest }: RecordOf<'analysisCode'>, content: string | undefined): void {
  if (content !== undefined && digest !== content) {
    throw new JobFailure(
      'contentChanged',
      'The analysis is not what this build was started for: its files, image or arguments changed since. Have it approved as it is, and start the build again'
    )
  }
}

function runsIn(known: RecordOf<'analysisCode'>): Runs | undefined {
  const { digest, masterImage, imageCommandArguments } = known
  return typeof digest === 'string'
    ? { masterImage: masterImage ?? undefined, imageCommandArguments }
    : undefined
}

/** All at once; page by page where the platform only knows that. */
async function knownFiles(
  platform: Platform,
  analysisId: string
): Promise<RecordOf<'analysisCode'> | undefined> {
  const code = await platform.analysisCode(analysisId)
  const bucket = code ? undefined : await platform.codeBucket(analysisId)
  if (!bucket) {
    return code
  }
  const files = await platform.files(bucket.id)
  return { bucketId: bucket.bucketId, total: files.length, files }
}

async function storedFiles(platform: Platform, bucketId: string): Promise<RecordOf<'bucketFiles'>> {
  const stored = await platform.storedFiles(bucketId)
  if (stored) {
    return stored
  }
  const records = await platform.bucketFiles(bucketId)
  const files = records.map((file) => ({
    id: file.id,
    path: pathOf(file),
    size: file.size ?? null,
    sha256: null,
  }))
  return { total: files.length, files }
}

function matched(known: readonly Known[], stored: readonly Stored[]): CodeFile[] {
  const byId = new Map(stored.map((file) => [file.id, file]))
  const files = known.map(({ bucketFileId, path }) => {
    const file = byId.get(bucketFileId)
    byId.delete(bucketFileId)
    if (file?.path !== path) {
      throw codeChanged(path, 'is not stored as the analysis knows it')
    }
    if (file.size === null) {
      throw codeChanged(path, 'is stored without its size; it has to be uploaded anew')
    }
    return { bucketFileId, path, size: file.size, sha256: file.sha256 ?? undefined }
  })
  const [other] = byId.values()
  if (other) {
    throw codeChanged(other.path, 'is stored, but no file of the analysis')
  }
  return files
}

/** Some platforms tell the folder and the name only. */
function pathOf({ path, directory, name }: RecordOf<'bucketFile'>): string {
  const isBare = !directory || directory === '.'
  return path ?? (isBare ? name : `${directory}/${name}`)
}

function requireFew(...totals: readonly number[]): void {
  if (totals.some((total) => total > MOST_FILES)) {
    throw new JobFailure('codeTooLarge', `The analysis has more than ${MOST_FILES} files`)
  }
}

function requireBounds(files: readonly CodeFile[], bytes: number): void {
  const large = files.find(({ size }) => size > LARGEST_BYTES)
  if (large || bytes > MOST_BYTES) {
    throw new JobFailure(
      'codeTooLarge',
      large ? `${shown(large.path)} is too large for code` : 'The files are too large together'
    )
  }
  const long = files.find(({ path }) => path.length > LONGEST_PATH)
  if (long) {
    throw new JobFailure('codeTooLarge', `The path ${shown(long.path)} is too long`)
  }
}

/** What is stored is not what the analysis knows of. */
export const codeChanged = (path: string, what: string) =>
  new JobFailure('codeChanged', `${shown(path)} ${what}`)

const shown = (path: string): string => JSON.stringify(path.slice(0, 200))
