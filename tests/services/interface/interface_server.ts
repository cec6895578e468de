import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

const FILES: Record<string, string> = {
  '/interface.js': fileURLToPath(new URL('interface.js', import.meta.url)),
  '/socket.io.js': fileURLToPath(
    new URL('../../../node_modules/socket.io-client/dist/socket.io.min.js', import.meta.url)
  ),
}

const PAGE = `<!doctype html><title>Interface</title>
  <script src="/socket.io.js"></script><script src="/interface.js"></script>`

/** Serves a web interface in small, on an origin of its own. */
export async function serveInterface(): Promise<{ origin: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const file = FILES[request.url!]
    response.setHeader('content-type', file ? 'text/javascript' : 'text/html')
    response.end(file ? await readFile(file) : PAGE)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, close: () => void server.close() }
}
