import { SharedToken, type Credentials } from '#client/credentials'
import { Transport } from '#client/transport'
import { clock } from '#kernel/clock'

import { jsonOf } from './json_of.js'
import { requestHub } from './request_hub.js'

export interface ClientCredentials {
  readonly id: string
  readonly secret: string
}

/** A token is renewed when a fifth of its lifetime is left. */
const LIFE_SHARE = 0.8
const DEFAULT_LIFE_SECONDS = 300

/** The login of a client at an identity provider. */
export function loginAt(address: string, { id, secret }: ClientCredentials): Credentials {
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret }
  const transport = new Transport()
  const issue = async () => {
    const body = new URLSearchParams(form)
    const response = await requestHub(transport, `${address}/token`, { method: 'POST', body })
    const answer = await jsonOf<{ access_token: string; expires_in?: number }>(response)
    const lifeMs = (answer.expires_in ?? DEFAULT_LIFE_SECONDS) * 1000
    return { token: answer.access_token, renewAt: clock.now() + lifeMs * LIFE_SHARE }
  }
  return new SharedToken(issue, () => clock.now())
}
