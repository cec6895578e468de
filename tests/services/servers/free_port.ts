import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const LOWEST = 15_000
const KERNEL_CLIENT_PORTS = 32_768
const ATTEMPTS = 100

/** A file for each port that a process of tests uses, with the id of that process. */
const TAKEN = join(tmpdir(), `analysis-hub-ports-${process.getuid?.() ?? 'all'}`)

const own = new Set<string>()

/**
 * A loopback port that nothing listens on, outside the range the kernel gives to clients: one that keeps trying a stopped
 * server there can be given the server's own port, connect to itself, and keep the server from coming back. No other
 * process of tests is given it until this one ends, since a server may listen much later, and again.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(LOWEST, KERNEL_CLIENT_PORTS)
    if (take(port) && (await isFree(port))) {
      return port
    }
  }
  throw new Error(`No free port was found on 127.0.0.1 in ${ATTEMPTS} attempts`)
}

function take(port: number): boolean {
  const file = join(TAKEN, String(port))
  try {
    mkdirSync(TAKEN, { recursive: true })
    if (existsSync(file) && !existsSync(`/proc/${readFileSync(file, 'utf8')}`)) {
      rmSync(file)
    }
    writeFileSync(file, String(process.pid), { flag: 'wx' })
  } catch {
    // Another process was faster.
    return false
  }
  if (own.size === 0) {
    process.once('exit', releaseAll)
  }
  own.add(file)
  return true
}

function releaseAll(): void {
  own.forEach((file) => rmSync(file, { force: true }))
  try {
    rmdirSync(TAKEN)
  } catch {
    // Other processes have ports.
  }
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
