import type { Platform } from '#worker/platform/platform'
import type { RecordOf } from '#worker/platform/records'
import { JobFailure } from '#worker/job_failure'
import { MIN_FILES_FOR_TAR, type BucketTars } from './bucket_tars.js'

/** Limits for code. */
const MAX_FILES = 50_000
const MAX_FILE_BYTES = 4 * 1024 ** 3
const MAX_TOTAL_BYTES = 16 * 1024 ** 3
const MAX_PATH_LENGTH = 512

/** A file of the analysis code in storage. */
export interface CodeFile {
  readonly bucketFileId: string
  readonly path: string
  readonly size: number
  /** SHA-256 in hex, computed on upload. Undefined if the platform does not report it. */
  readonly sha256: string | undefined
}

export interface Code {
  readonly bucketId: string
  readonly files: readonly CodeFile[]
  readonly entrypoint: string
  readonly bytes: number
  /** The run configuration read together with the files. Undefined if the platform does not report it. */
  readonly runConfiguration: RunConfiguration | undefined
}

/** Master image and arguments of the code. */
interface RunConfiguration {
  readonly masterImage: RecordOf<'masterImage'> | undefined
  readonly imageCommandArguments: RecordOf<'analysis'>['imageCommandArguments']
}

type AnalysisFile = RecordOf<'analysisCode'>['files'][number]
type StoredFile = RecordOf<'bucketFiles'>['files'][number]

/**
 * Reads the code of an analysis. The files known to the analysis, which nodes approved, must match those in storage.
 * Prefetches a tar if there are many. `content` is the requested content digest: files of any other content are
 * rejected.
 */
export async function codeOf(
  platform: Platform,
  analysisId: string,
  tars: BucketTars,
  content?: string
): Promise<Code> {
  const known = await readCode(platform, analysisId)
  const root = known?.files.find((file) => file.root)
  if (!known || !root) {
    throw new JobFailure('entrypointNotFound', 'The analysis has no entrypoint among its files')
  }
  requireContent(known, content)
  if (known.files.length >= MIN_FILES_FOR_TAR) {
    tars.prefetch(known.bucketId)
  }
  const files = await filesOf(platform, known)
  const entrypoint = files.find(({ bucketFileId }) => bucketFileId === root.bucketFileId)
  if (!entrypoint) {
    throw new JobFailure('entrypointNotFound', 'The entrypoint of the analysis is not stored')
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  requireSizeLimits(files, bytes)
  const { bucketId } = known
  return {
    bucketId,
    files,
    entrypoint: entrypoint.path,
    bytes,
    runConfiguration: runConfigurationIn(known),
  }
}

/** The files of the analysis in storage, from its default bucket and any added ones. */
export async function filesOf(
  platform: Platform,
  { bucketId: defaultBucketId, total, files: known }: RecordOf<'analysisCode'>
): Promise<CodeFile[]> {
  requireFileLimit(total)
  const byBucket = Map.groupBy(known, ({ bucketId }) => bucketId ?? defaultBucketId)
  const files: CodeFile[] = []
  for (const bucketId of new Set([defaultBucketId, ...byBucket.keys()])) {
    const stored = await readStoredFiles(platform, bucketId)
    requireFileLimit(stored.total)
    files.push(...matchFiles(byBucket.get(bucketId) ?? [], stored.files))
  }
  requireUniquePaths(files)
  return files
}

/** Files of all buckets are placed in one folder. */
function requireUniquePaths(files: readonly CodeFile[]): void {
  const paths = new Set<string>()
  for (const { path } of files) {
    if (paths.has(path)) {
      throw new JobFailure(
        'codePathTaken',
        `Two buckets of the analysis have a file ${quote(path)}: remove one of them, and have the analysis approved again`
      )
    }
    paths.add(path)
  }
}

/** What is signed is what the command names. Only a platform that reports no digest sends commands without one. */
function requireContent({ digest }: RecordOf<'analysisCode'>, content: string | undefined): void {
  if ((digest ?? undefined) !== content) {
    throw new JobFailure(
      'contentChanged',
      'The analysis changed since this build was started: its files, image or arguments are different. Have it approved again, then start a new build'
    )
  }
}

function runConfigurationIn(known: RecordOf<'analysisCode'>): RunConfiguration | undefined {
  const { digest, masterImage, imageCommandArguments } = known
  return typeof digest === 'string'
    ? { masterImage: masterImage ?? undefined, imageCommandArguments }
    : undefined
}

/** Reads all files at once, or page by page on platforms without that endpoint. */
async function readCode(
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

async function readStoredFiles(
  platform: Platform,
  bucketId: string
): Promise<RecordOf<'bucketFiles'>> {
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

function matchFiles(known: readonly AnalysisFile[], stored: readonly StoredFile[]): CodeFile[] {
  const byId = new Map(stored.map((file) => [file.id, file]))
  const files = known.map(({ bucketFileId, path }) => {
    const file = byId.get(bucketFileId)
    byId.delete(bucketFileId)
    if (file?.path !== path) {
      throw codeChanged(path, 'is stored under another path than the analysis lists')
    }
    if (file.size === null) {
      throw codeChanged(path, 'is stored without its size; upload it again')
    }
    return { bucketFileId, path, size: file.size, sha256: file.sha256 ?? undefined }
  })
  const [other] = byId.values()
  if (other) {
    throw codeChanged(other.path, 'is stored, but not a file of the analysis')
  }
  return files
}

/** Some platforms return folder and name instead of a path. */
function pathOf({ path, directory, name }: RecordOf<'bucketFile'>): string {
  const isBare = !directory || directory === '.'
  return path ?? (isBare ? name : `${directory}/${name}`)
}

function requireFileLimit(...totals: readonly number[]): void {
  if (totals.some((total) => total > MAX_FILES)) {
    throw new JobFailure('codeTooLarge', `The analysis has more than ${MAX_FILES} files`)
  }
}

function requireSizeLimits(files: readonly CodeFile[], bytes: number): void {
  const large = files.find(({ size }) => size > MAX_FILE_BYTES)
  if (large || bytes > MAX_TOTAL_BYTES) {
    throw new JobFailure(
      'codeTooLarge',
      large ? `${quote(large.path)} is too large for code` : 'The files are too large in total'
    )
  }
  const long = files.find(({ path }) => path.length > MAX_PATH_LENGTH)
  if (long) {
    throw new JobFailure('codeTooLarge', `The path ${quote(long.path)} is too long`)
  }
}

export const codeChanged = (path: string, what: string) =>
  new JobFailure('codeChanged', `${quote(path)} ${what}`)

const quote = (path: string): string => JSON.stringify(path.slice(0, 200))
