import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * A free port, preferably the given one. Others are below the ephemeral range of the kernel, so that the port is likely
 * to be free at the next start too.
 */
export async function freePort(preferred?: number): Promise<number> {
  let port = preferred ?? randomPort()
  while (!(await isFree(port))) {
    port = randomPort()
  }
  return port
}

function randomPort(): number {
  return randomInt(20_000, 32_000)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
