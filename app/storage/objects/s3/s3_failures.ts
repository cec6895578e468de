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

/** Maps an error of the S3 server or the connection to a failure; others are returned unchanged. */
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

/** Whether the object or its bucket is missing. */
export function isMissing(error: unknown): boolean {
  return isNamed(error, 'NoSuchKey', 'NotFound', 'NoSuchBucket')
}

/** Whether the S3 server returned one of these codes. */
export function isNamed(error: unknown, ...names: string[]): boolean {
  return names.includes((error as S3Error | undefined)?.name ?? '')
}
