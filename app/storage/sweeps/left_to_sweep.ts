import { isHeldBack } from './held_back.js'

/** Tries to remove something from the object store; what cannot or must not be removed now is left to the sweep. */
export async function leftToSweep(
  bucketId: string,
  removal: () => Promise<void>,
  complaint: string
): Promise<void> {
  try {
    if (await isHeldBack()) {
      return
    }
    await removal()
  } catch (error) {
    const { default: logger } = await import('@adonisjs/core/services/logger')
    logger.warn({ err: error, bucketId }, complaint)
  }
}
