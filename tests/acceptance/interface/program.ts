import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { globSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { freePort } from '#database/embedded/free_port'

const APP_ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const BUILT = 'build/bin/server.js'
const SOURCES = '{app,bin,config,database,providers,start}/**/*.ts'

const START_LIMIT_MS = 60_000
const STOP_LIMIT_MS = 30_000
const LOOK_AGAIN_MS = 50

type Variables = Record<string, string | undefined>

/** A running program and where it listens. */
export interface Program {
  readonly origin: string
  stop(): Promise<void>
}

/**
 * Starts the program with nothing but embedded drivers, on free ports and in a folder of its own, and waits until it is
 * ready. A variable given as undefined is left to its default.
 */
export async function startProgram(variables: Variables = {}): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-interface-'))
  const [port, adminPort] = [await freePort(), await freePort()]
  const given: Variables = {
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    DATA_DIR: folder,
    DATABASE_URL: 'embedded',
    AMQP_URL: 'memory',
    REDIS_URL: 'memory',
    RATE_LIMIT_ANONYMOUS: '0',
    LOG_LEVEL: 'error',
    ...variables,
  }
  const child = spawn(process.execPath, entryPoint(), {
    cwd: APP_ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...given },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stop = async () => {
    await stopped(child)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await ready(child, `http://${given.HOST}:${given.ADMIN_PORT ?? DEFAULT_PORT + 9}/health/ready`)
  } catch (error) {
    await stop()
    throw error
  }
  return { origin: `http://${given.HOST}:${given.PORT ?? DEFAULT_PORT}`, stop }
}

/** The port the program takes where none is named. */
export const DEFAULT_PORT = 3000

/** The build where there is one of these sources, else the sources. */
function entryPoint(): string[] {
  const modified = (file: string) =>
    statSync(join(APP_ROOT, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const newest = Math.max(...globSync(SOURCES, { cwd: APP_ROOT }).map(modified))
  return modified(BUILT) > newest ? [BUILT] : ['--import=@poppinss/ts-exec', 'bin/server.ts']
}

async function ready(child: ChildProcess, url: string): Promise<void> {
  let output = ''
  const collect = (chunk: Buffer) => void (output = (output + chunk).slice(-4_000))
  child.stdout!.on('data', collect)
  child.stderr!.on('data', collect)
  const deadline = Date.now() + START_LIMIT_MS
  while (!(await answersWell(url))) {
    if (hasEnded(child) || Date.now() > deadline) {
      throw new Error(`The program did not get ready at ${url}:\n${output}`)
    }
    await sleep(LOOK_AGAIN_MS)
  }
}

async function answersWell(url: string): Promise<boolean> {
  try {
    const response = await fetch(url)
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) {
    return
  }
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const hurry = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
  await exit
  clearTimeout(hurry)
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null
