import { request as inClear } from 'node:http'
import { request as securely } from 'node:https'
import { text } from 'node:stream/consumers'

import { sendRequest } from '#doctor/send_request'
import { NOT_USED, type Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import { sendLargeBody } from '#doctor/large_body'
import { ownToken } from '#doctor/own_token'
import { isPublic, publicAddress } from '#doctor/public_address'
import { reasonOf } from '#doctor/reason'
import type { Env } from '#configuration/variables'

const TOO_LARGE = 413
const FIRST_BYTE_MS = 10_000
const ANSWER_MS = 12_000

/** How a request arrived, as the platform reports it. */
interface RequestArrival {
  readonly peer: string
  readonly port: number
  readonly isForwarded: boolean
  readonly isTrusted: boolean
}

/** Checks that a proxy in front of the platform forwards everything it must. */
export const proxyCheck: Check = {
  name: 'proxy',
  async run({ env }) {
    const core = publicAddress('core', env)
    if (!isPublic(env) || core === undefined) {
      return NOT_USED
    }
    try {
      const response = await sendRequest(`${core}/nodes`)
      await response.body?.cancel()
      if (response.status !== 401) {
        return [finding('PUBLIC_URL_IS_OTHER', `${core}/nodes responds with ${response.status}`)]
      }
    } catch (error) {
      return [finding('PUBLIC_URL_UNREACHABLE', `${env.PUBLIC_URL}, ${reasonOf(error)}`)]
    }
    return [...(await checkBodies(core)), ...(await checkWithToken(env, core))]
  },
}

/**
 * The hub rejects a request without a token before it reads the body, so a 413 comes from the proxy.
 * A closed connection proves nothing, since the hub closes it as well.
 */
async function checkBodies(core: string): Promise<Finding[]> {
  const status = await sendLargeBody(`${core}/nodes`).catch(() => undefined)
  return status === TOO_LARGE ? [finding('PROXY_CUTS_BODIES', `24 MiB cause ${status}`)] : []
}

/** The provider check reports a missing token. */
async function checkWithToken(env: Env, core: string): Promise<Finding[]> {
  const answer = await ownToken(env).catch(() => undefined)
  if (!answer || !('token' in answer)) {
    return []
  }
  const { token } = answer
  return [...(await checkStreams(env, token)), ...(await checkForwarding(core, token))]
}

async function checkStreams(env: Env, token: string): Promise<Finding[]> {
  const telemetry = publicAddress('telemetry', env)
  if (telemetry === undefined) {
    return []
  }
  const stop = new AbortController()
  const late = setTimeout(() => stop.abort(), FIRST_BYTE_MS)
  try {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    const { ok, body } = await sendRequest(`${telemetry}/events`, { headers, signal: stop.signal })
    if (ok) {
      await body?.getReader().read()
    }
    return []
  } catch {
    return stop.signal.aborted
      ? [finding('PROXY_HOLDS_STREAMS', `no data within ${FIRST_BYTE_MS / 1_000} s`)]
      : []
  } finally {
    clearTimeout(late)
    stop.abort()
  }
}

async function checkForwarding(core: string, token: string): Promise<Finding[]> {
  const { arrived: arrival, port } = await readArrival(`${core}/admin/request`, token)
  if (!arrival || (arrival.port === port && !arrival.isForwarded)) {
    return []
  }
  if (!arrival.isForwarded) {
    return [finding('PROXY_HIDES_CALLERS', `its address is ${arrival.peer}`)]
  }
  return arrival.isTrusted ? [] : [finding('PROXY_NOT_TRUSTED', `its address is ${arrival.peer}`)]
}

/** Also returns the local port: behind a proxy, the platform sees another one. */
function readArrival(
  address: string,
  token: string
): Promise<{ arrived: RequestArrival | undefined; port: number | undefined }> {
  const url = new URL(address)
  const request = url.protocol === 'https:' ? securely : inClear
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      agent: false,
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      const port = response.socket.localPort
      text(response).then((body) => resolve({ arrived: parseArrival(body), port }), reject)
    })
    outgoing.end()
  })
}

function parseArrival(body: string): RequestArrival | undefined {
  try {
    return JSON.parse(body).data
  } catch {
    return undefined
  }
}
