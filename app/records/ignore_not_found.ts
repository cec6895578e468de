import { EntityNotFound } from '#kernel/failures'

/**
 * Waits for work on a record that another request may have deleted meanwhile; then there is nothing to do, and no answer.
 */
export async function ignoreNotFound<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof EntityNotFound) {
      return undefined
    }
    throw error
  }
}
