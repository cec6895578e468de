import { isRemovalSuspended } from './object_retention.js'

/** Tries to remove something from the object store; what cannot or must not be removed now is left to the sweep. */
export async function tryRemoval(
  bucketId: string,
  removal: () => Promise<void>,
  warning: string
): Promise<void> {
  try {
    if (await isRemovalSuspended()) {
      return
    }
    await removal()
  } catch (error) {
    const { default: logger } = await import('@adonisjs/core/services/logger')
    logger.warn({ err: error, bucketId }, warning)
  }
}
