import { isRemovalSuspended } from './object_retention.js'

/** Tries a removal from the object store. If it fails or is suspended, the sweep does it later. */
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
