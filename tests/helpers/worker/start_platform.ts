import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { Platform } from '#worker/platform/platform'
import { workerCredentials } from '#worker/platform/worker_credentials'

export type Respond = (request: IncomingMessage, response: ServerResponse) => void

export const json = (response: ServerResponse, content: unknown, status = 200) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(content))
}

/** Starts a platform with the given responses, and a client for it. */
export async function startPlatform(respond: Respond, cleanup: (after: () => void) => void) {
  const requests: string[] = []
  const tokens: string[] = []
  const server = createServer((request, response) => {
    const url = request.url!
    if (url.startsWith('/auth/.well-known')) {
      return json(response, {}, 404)
    }
    if (url === '/auth/token') {
      tokens.push(`token-${tokens.length}`)
      return json(response, { access_token: tokens.at(-1), expires_in: 3600 })
    }
    requests.push(decodeURIComponent(url.replaceAll('+', ' ')))
    return respond(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const credentials = workerCredentials({
    url: () => `${origin}/auth`,
    id: 'worker',
    secret: () => 'secret',
    realm: 'master',
  })
  const platform = new Platform({
    credentials,
    retryForMs: 2_000,
    core: { name: 'Core', url: () => `${origin}/core` },
    storage: { name: 'Storage', url: () => `${origin}/storage` },
    signal: new AbortController().signal,
  })
  return { platform, asked: requests, tokens }
}
