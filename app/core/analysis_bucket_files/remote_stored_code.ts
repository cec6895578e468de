import { createHash } from 'node:crypto'

import { transportTo, type RemoteSurface } from '#auth/remote_surface'
import { ServiceUnavailable } from '#kernel/failures'
import { inParallel } from '#kernel/in_parallel'
import type { StoredCode } from './stored_code.js'

const LIMIT_MS = 60_000
const CONCURRENT_FILES = 8
const DIGEST = /(?:^|,\s*)sha-256=:([A-Za-z0-9+/=]+):/

/** The code at a storage that runs elsewhere, which sends the stored digest with each file. */
export function remoteStoredCode(storage: RemoteSurface): StoredCode {
  return {
    async findDamaged(ids) {
      const intact = new Set<string>()
      await inParallel(ids, CONCURRENT_FILES, async (id) => {
        if (await isIntact(storage, id)) {
          intact.add(id)
        }
      })
      return ids.filter((id) => !intact.has(id))
    },
  }
}

async function isIntact(storage: RemoteSurface, id: string): Promise<boolean> {
  try {
    const response = await transportTo(storage).send(`${storage.url}/bucket-files/${id}/stream`, {
      headers: { 'accept': '*/*', 'accept-encoding': 'identity' },
      timeoutMs: LIMIT_MS,
      answerMs: LIMIT_MS,
    })
    if (response.status === 404) {
      return false
    }
    if (response.status !== 200 || !response.body) {
      throw new Error(`status ${response.status}`)
    }
    const [, expected] = DIGEST.exec(response.headers.get('repr-digest') ?? '') ?? []
    const digest = createHash('sha256')
    for await (const chunk of response.body) {
      digest.update(chunk)
    }
    return expected === undefined || digest.digest('base64') === expected
  } catch (error) {
    const cause = new Error(`request to storage failed: ${(error as Error).message}`)
    const message = 'The code cannot be compared with what was approved now: try again shortly'
    throw new ServiceUnavailable(message, { cause, headers: { 'retry-after': '5' } })
  }
}
