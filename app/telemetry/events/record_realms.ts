import type { FindRealms } from '#records/record_realms'

/** Finds the realms of a record of any surface. */
export abstract class RecordRealms {
  abstract readonly find: FindRealms
}

/** Asks one source after the other until one knows the record. */
export function realmsFrom(sources: readonly FindRealms[]): RecordRealms {
  return {
    async find(kind, id) {
      for (const find of sources) {
        const realms = await find(kind, id)
        if (realms) {
          return realms
        }
      }
      return undefined
    },
  }
}
