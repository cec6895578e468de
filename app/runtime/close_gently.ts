import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'

/** How long a connection that is kept alive may still bring one more request before it is closed. */
const LAST_REQUEST_MS = 1_500
const LOOK_AGAIN_MS = 250
const LIMIT_MS = 25_000

/**
 * Closes a server without failing a request: what is under way ends, and a client that keeps its connection open is told
 * with its next answer that this one was the last. The drain must have begun.
 */
export async function closeGently(server: Server): Promise<void> {
  const closed = stopListening(server)
  let sweep: NodeJS.Timeout | undefined
  const last = setTimeout(() => {
    sweep = setInterval(() => server.closeIdleConnections(), LOOK_AGAIN_MS)
    server.closeIdleConnections()
  }, LAST_REQUEST_MS)
  const limit = setTimeout(() => server.closeAllConnections(), LIMIT_MS)
  await closed
  clearTimeout(last)
  clearTimeout(limit)
  clearInterval(sweep)
}

/** The HTTP server's own close also cuts idle connections at once, under the hands of clients about to use them. */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => resolve())
  })
}
