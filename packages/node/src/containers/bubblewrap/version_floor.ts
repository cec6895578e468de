/** Older ones resolve links of an image while they set a container up, or cannot bound its memory file systems. */
const FLOOR = [0, 8, 0]

/** Why a version of Bubblewrap is not enough, by what it prints about itself; undefined if it is. */
export function olderThanFloor(printed: string): string | undefined {
  const found = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(printed)
  const numbers = FLOOR.map((_, index) => Number(found?.[index + 1] ?? 0))
  const different = FLOOR.findIndex((least, index) => numbers[index] !== least)
  if (different === -1 || numbers[different]! > FLOOR[different]!) {
    return undefined
  }
  return `Bubblewrap ${found?.[0] ?? 'of an unknown version'} is too old: a node needs ${FLOOR.join('.')} or newer (Debian 12, Ubuntu 24.04), or runc as root`
}
