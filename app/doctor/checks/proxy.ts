import { request as inClear } from 'node:http'
import { request as securely } from 'node:https'
import { text } from 'node:stream/consumers'

import { ask } from '#doctor/asking'
import { NOT_USED, type Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import { sendLargeBody } from '#doctor/large_body'
import { ownToken } from '#doctor/own_token'
import { isPublic, publicAddress } from '#doctor/public_address'
import { reasonOf } from '#doctor/reason'
import type { Env } from '#start/env'

const TOO_LARGE = 413
const FIRST_BYTE_MS = 4_000
const ANSWER_MS = 8_000

/** What the platform says of a request that reached it. */
interface Arrived {
  readonly peer: string
  readonly port: number
  readonly isForwarded: boolean
  readonly isTrusted: boolean
}

/** Whether what stands between callers and the platform hands on what it has to. */
export const proxyCheck: Check = {
  name: 'proxy',
  async run({ env }) {
    const core = publicAddress('core', env)
    if (!isPublic(env) || core === undefined) {
      return NOT_USED
    }
    try {
      const response = await ask(`${core}/nodes`)
      await response.body?.cancel()
      if (response.status !== 401) {
        return [finding('PUBLIC_URL_IS_OTHER', `${core}/nodes answers ${response.status}`)]
      }
    } catch (error) {
      return [finding('PUBLIC_URL_UNREACHABLE', `${env.PUBLIC_URL}, ${reasonOf(error)}`)]
    }
    return [...(await bodies(core)), ...(await withToken(env, core))]
  },
}

/**
 * Who sends no token is refused before its body is read, so that whoever refuses the body is the proxy. A connection that ends under
 * way says nothing: the platform does that as well once it has refused.
 */
async function bodies(core: string): Promise<Finding[]> {
  const status = await sendLargeBody(`${core}/nodes`).catch(() => undefined)
  return status === TOO_LARGE ? [finding('PROXY_CUTS_BODIES', `24 MiB are answered ${status}`)] : []
}

/** That there is no token is for the check of the provider to say. */
async function withToken(env: Env, core: string): Promise<Finding[]> {
  const answer = await ownToken(env).catch(() => undefined)
  if (!answer || !('token' in answer)) {
    return []
  }
  const { token } = answer
  return [...(await streams(env, token)), ...(await forwarding(core, token))]
}

async function streams(env: Env, token: string): Promise<Finding[]> {
  const telemetry = publicAddress('telemetry', env)
  if (telemetry === undefined) {
    return []
  }
  const stop = new AbortController()
  const late = setTimeout(() => stop.abort(), FIRST_BYTE_MS)
  try {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    const { ok, body } = await ask(`${telemetry}/events`, { headers, signal: stop.signal })
    if (ok) {
      await body?.getReader().read()
    }
    return []
  } catch {
    return stop.signal.aborted
      ? [finding('PROXY_HOLDS_STREAMS', `nothing of one came within ${FIRST_BYTE_MS / 1_000} s`)]
      : []
  } finally {
    clearTimeout(late)
    stop.abort()
  }
}

async function forwarding(core: string, token: string): Promise<Finding[]> {
  const { arrived, port } = await askHowItArrives(`${core}/admin/request`, token)
  if (!arrived || (arrived.port === port && !arrived.isForwarded)) {
    return []
  }
  if (!arrived.isForwarded) {
    return [finding('PROXY_HIDES_CALLERS', `it calls from ${arrived.peer}`)]
  }
  return arrived.isTrusted ? [] : [finding('PROXY_NOT_TRUSTED', `it calls from ${arrived.peer}`)]
}

/** The port we call from tells a proxy, which calls from one of its own, from the platform itself. */
function askHowItArrives(
  address: string,
  token: string
): Promise<{ arrived: Arrived | undefined; port: number | undefined }> {
  const url = new URL(address)
  const request = url.protocol === 'https:' ? securely : inClear
  return new Promise((resolve, reject) => {
    const asking = request(url, {
      agent: false,
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    asking.on('error', reject)
    asking.on('response', (response) => {
      const port = response.socket.localPort
      text(response).then((body) => resolve({ arrived: arrivedIn(body), port }), reject)
    })
    asking.end()
  })
}

function arrivedIn(body: string): Arrived | undefined {
  try {
    return JSON.parse(body).data
  } catch {
    return undefined
  }
}
