import { EntityNotFound } from '#kernel/failures'

/** Awaits work on a record; returns undefined if the record was deleted concurrently. */
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
