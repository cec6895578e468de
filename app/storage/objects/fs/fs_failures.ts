import { StorageInsufficient } from '#kernel/failures'
import { ObjectStoreUnavailable, ObjectTooLarge } from '#storage/objects/errors'

/** Maps an error of the file system to a failure; others are returned unchanged. */
export function fsFailure(error: unknown): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new StorageInsufficient({ cause: error })
    case 'EFBIG':
      return new ObjectTooLarge(error)
    case 'EMFILE':
    case 'ENFILE':
    case 'ENOTDIR':
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'EIO':
    case 'ESTALE':
      return new ObjectStoreUnavailable(error)
    default:
      return error
  }
}
