import { Failure, StorageInsufficient } from '#kernel/failures'
import { ObjectStoreUnavailable, ObjectTooLarge, PutInterrupted } from '#storage/objects/errors'

interface S3Error {
  readonly name?: string
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

const FULL = new Set([
  'QuotaExceeded',
  'InsufficientCapacity',
  'InsufficientStorage',
  'StorageFull',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
])
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
])

/** What an answer of the S3 server, or none, means to a caller; what means nothing in particular is handed back as it is. */
export function s3Failure(error: unknown): unknown {
  if (error instanceof Failure) {
    return error
  }
  const { name = '', code = '', $metadata } = (error ?? {}) as S3Error
  const status = $metadata?.httpStatusCode ?? 0
  if (FULL.has(name) || status === 507) {
    return new StorageInsufficient({ cause: error })
  }
  if (name === 'NoSuchUpload') {
    return new PutInterrupted(error)
  }
  if (name === 'EntityTooLarge') {
    return new ObjectTooLarge(error)
  }
  const isUnavailable =
    UNREACHABLE.has(code) || name === 'TimeoutError' || status >= 500 || status === 429
  return isUnavailable ? new ObjectStoreUnavailable(error) : error
}

/** Whether the S3 server says that the object, or the bucket it would be in, is not there. */
export function isMissing(error: unknown): boolean {
  return isNamed(error, 'NoSuchKey', 'NotFound', 'NoSuchBucket')
}

/** Whether the S3 server answered with one of these codes. */
export function isNamed(error: unknown, ...names: string[]): boolean {
  return names.includes((error as S3Error | undefined)?.name ?? '')
}
