import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const LOWEST = 15_000
const KERNEL_CLIENT_PORTS = 32_768
const ATTEMPTS = 100

/**
 * A loopback port that nothing listens on, outside the range the kernel gives to clients: one that keeps trying a stopped
 * server there can be given the server's own port, connect to itself, and keep the server from coming back.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(LOWEST, KERNEL_CLIENT_PORTS)
    if (await isFree(port)) {
      return port
    }
  }
  throw new Error(`No free port was found on 127.0.0.1 in ${ATTEMPTS} attempts`)
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch {
    return false
  }
  probe.close()
  await once(probe, 'close')
  return true
}
