import { createHash } from 'node:crypto'

import { ownFetch, type Elsewhere } from '#auth/own_fetch'
import { ServiceUnavailable } from '#kernel/failures'
import { inParallel } from '#kernel/in_parallel'
import type { StoredCode } from './stored_code.js'

const LIMIT_MS = 60_000
const FILES_AT_ONCE = 8
const DIGEST = /(?:^|,\s*)sha-256=:([A-Za-z0-9+/=]+):/

/** The code that storage has at its address, which says with each file what its digest was. */
export function askForCode(storage: Elsewhere): StoredCode {
  return {
    async damaged(ids) {
      const whole = new Set<string>()
      await inParallel(ids, FILES_AT_ONCE, async (id) => {
        if (await isAsStored(storage, id)) {
          whole.add(id)
        }
      })
      return ids.filter((id) => !whole.has(id))
    },
  }
}

async function isAsStored(storage: Elsewhere, id: string): Promise<boolean> {
  try {
    const response = await ownFetch(storage, `/bucket-files/${id}/stream`, {
      headers: { 'accept-encoding': 'identity' },
      signal: () => AbortSignal.timeout(LIMIT_MS),
    })
    if (response.status === 404) {
      return false
    }
    if (response.status !== 200 || !response.body) {
      throw new Error(`it answered with the status ${response.status}`)
    }
    const [, announced] = DIGEST.exec(response.headers.get('repr-digest') ?? '') ?? []
    const digest = createHash('sha256')
    for await (const chunk of response.body) {
      digest.update(chunk)
    }
    return announced === undefined || digest.digest('base64') === announced
  } catch (error) {
    const cause = new Error(`storage was asked in vain: ${(error as Error).message}`)
    const message = 'Whether the code is what was approved cannot be told now; try again shortly'
    throw new ServiceUnavailable(message, { cause, headers: { 'retry-after': '5' } })
  }
}
