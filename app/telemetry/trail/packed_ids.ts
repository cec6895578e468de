const ID_BYTES = 16

/** The ids of a batch as they are stored: 16 bytes each, in order. */
export function packIds(ids: readonly string[]): Buffer {
  return Buffer.from(ids.map((id) => id.replaceAll('-', '')).join(''), 'hex')
}

export function unpackIds(packed: Buffer): string[] {
  const ids: string[] = []
  for (let start = 0; start + ID_BYTES <= packed.length; start += ID_BYTES) {
    ids.push(idAt(packed, start))
  }
  return ids
}

/** The position of an id in a batch; -1 if it is not there. */
export function positionOf(id: string, packed: Buffer): number {
  return unpackIds(packed).indexOf(id)
}

function idAt(packed: Buffer, start: number): string {
  const hex = packed.toString('hex', start, start + ID_BYTES)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-')
}
