import { ObjectDamaged, ObjectMissing } from './errors.js'

const SMALL_BYTES = 256 * 1024
const MAX_RUN_OBJECTS = 256
const MAX_RUN_BYTES = 1024 ** 2

interface MaybeSized {
  readonly size: number | null
}

type Sized<T> = T & { readonly size: number }

/** Whether an object of this size is read at once, because the call costs more than the bytes. */
export const isSmall = (size: number): boolean => size < SMALL_BYTES

/**
 * Groups adjacent small objects into runs for one `readSmall`, bounded by memory. Large objects, and those of
 * unknown size, stay single.
 */
export function* groupSmallObjects<T extends MaybeSized>(
  items: Iterable<T>
): Generator<T | Sized<T>[]> {
  let run: Sized<T>[] = []
  let bytes = 0
  for (const item of items) {
    const isGrouped = isSmallItem(item)
    const isFull = run.length === MAX_RUN_OBJECTS || bytes + (item.size ?? 0) > MAX_RUN_BYTES
    if (run.length > 0 && (isFull || !isGrouped)) {
      yield run
      run = []
      bytes = 0
    }
    if (isGrouped) {
      run.push(item)
      bytes += item.size
    } else {
      yield item
    }
  }
  if (run.length > 0) {
    yield run
  }
}

/**
 * The content of an object of an expected size, or the reason why it is missing or damaged. One excess byte
 * suffices to detect a larger object.
 */
export async function checkedContent(
  size: number,
  reading: Buffer | Promise<Buffer>
): Promise<Buffer | ObjectMissing | ObjectDamaged> {
  try {
    const bytes = await reading
    if (bytes.length === size) {
      return bytes
    }
    return new ObjectDamaged(size, bytes.length > size ? 'more' : `${bytes.length}`)
  } catch (error) {
    if (error instanceof ObjectMissing) {
      return error
    }
    throw error
  }
}

function isSmallItem<T extends MaybeSized>(item: T): item is Sized<T> {
  return item.size !== null && isSmall(item.size)
}
