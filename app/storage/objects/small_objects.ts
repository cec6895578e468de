import { ObjectDamaged, ObjectMissing } from './errors.js'

const SMALL_BYTES = 256 * 1024
const MAX_RUN_OBJECTS = 256
const MAX_RUN_BYTES = 1024 ** 2

interface MaybeSized {
  readonly size: number | null
}

type Sized<T> = T & { readonly size: number }

/** Whether an object of so many bytes should be read whole: what reading costs is the call, not the bytes. */
export const isSmall = (size: number): boolean => size < SMALL_BYTES

/**
 * Puts small objects that follow each other together, no more than one `readWhole` should read: what is read at once has to be held at
 * once. Large ones, and those of an unknown size, stand alone.
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
 * What becomes of an object that should have so many bytes: these, or that it is missing, or has others. To see that it has more of them, one
 * more is enough.
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
