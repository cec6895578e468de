import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

/** The SHA-256 of a file of this machine, as hexadecimal text. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** The SHA-256 in an entity tag, if it holds one. */
export function sha256In(etag: string | null): string | undefined {
  return /^"([0-9a-f]{64})"$/.exec(etag ?? '')?.[1]
}
