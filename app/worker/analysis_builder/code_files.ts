import type { Platform } from '#worker/platform/platform'
import type { RecordOf } from '#worker/platform/records'
import { JobFailure } from '#worker/job_failure'
import { MIN_FILES_FOR_TAR, type BucketTars } from './bucket_tars.js'

/** More, or larger ones, are no code. */
const MAX_FILES = 50_000
const MAX_FILE_BYTES = 4 * 1024 ** 3
const MAX_TOTAL_BYTES = 16 * 1024 ** 3
const MAX_PATH_LENGTH = 512

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
  readonly runConfiguration: RunConfiguration | undefined
}

/** The image that the code runs on, and with what. */
export interface RunConfiguration {
  readonly masterImage: RecordOf<'masterImage'> | undefined
  readonly imageCommandArguments: RecordOf<'analysis'>['imageCommandArguments']
}

/** What the analysis knows of a file. */
type AnalysisFile = RecordOf<'analysisCode'>['files'][number]
/** What storage knows of it. */
type StoredFile = RecordOf<'bucketFiles'>['files'][number]

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
  const known = await readCode(platform, analysisId)
  const root = known?.files.find((file) => file.root)
  if (!known || !root) {
    throw new JobFailure(
      'entrypointNotFound',
      'None of the files of the analysis is its entrypoint'
    )
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

/** The files that the analysis knows of, as storage has them: those of its bucket, and of others that were added to it. */
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

/** Files of several buckets come into one folder. */
function requireUniquePaths(files: readonly CodeFile[]): void {
  const paths = new Set<string>()
  for (const { path } of files) {
    if (paths.has(path)) {
      throw new JobFailure(
        'codePathTaken',
        `Two buckets of the analysis have a file ${quote(path)}: remove one of the two, and have the analysis approved again`
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

function runConfigurationIn(known: RecordOf<'analysisCode'>): RunConfiguration | undefined {
  const { digest, masterImage, imageCommandArguments } = known
  return typeof digest === 'string'
    ? { masterImage: masterImage ?? undefined, imageCommandArguments }
    : undefined
}

/** All at once; page by page where the platform only knows that. */
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
      large ? `${quote(large.path)} is too large for code` : 'The files are too large together'
    )
  }
  const long = files.find(({ path }) => path.length > MAX_PATH_LENGTH)
  if (long) {
    throw new JobFailure('codeTooLarge', `The path ${quote(long.path)} is too long`)
  }
}

/** What is stored is not what the analysis knows of. */
export const codeChanged = (path: string, what: string) =>
  new JobFailure('codeChanged', `${quote(path)} ${what}`)

const quote = (path: string): string => JSON.stringify(path.slice(0, 200))
