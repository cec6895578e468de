import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { freePort } from '#embedded/free_port'
import { prepareData } from '#tests/helpers/prepared_data'
import { RUN_TYPESCRIPT } from '#tests/helpers/typescript'

const APP_ROOT = new URL('../../../', import.meta.url)
const APP_FOLDER = fileURLToPath(APP_ROOT)

/** Plain JavaScript, so that it runs before anything is built; its types are written here. */
const BUILD_MODULE = 'bin/bootstrap/build.mjs'
interface BuildModule {
  isBuilt(root: string): boolean
}

const START_LIMIT_MS = 300_000
const STOP_LIMIT_MS = 100_000
const POLL_INTERVAL_MS = 50

export type Variables = Record<string, string | undefined>

/** A running program and its addresses. */
export interface Program {
  readonly origin: string
  stop(): Promise<void>
}

/**
 * Starts the program with nothing but embedded drivers, on free ports and in a folder of its own, where no `.env` is
 * found, and waits until it is ready. A variable given as undefined is left to its default.
 */
export async function startProgram(variables: Variables = {}): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-interface-'))
  const [port, adminPort] = [await freePort(), await freePort()]
  const given: Variables = {
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    PORT: String(port),
    ADMIN_HOST: variables.HOST,
    ADMIN_PORT: String(adminPort),
    DATA_DIR: folder,
    DATABASE_URL: 'embedded',
    AMQP_URL: 'memory',
    REDIS_URL: 'memory',
    RATE_LIMIT_ANONYMOUS: '0',
    LOG_LEVEL: 'error',
    ...variables,
  }
  if (!existsSync(join(given.DATA_DIR!, 'postgres'))) {
    await prepareData(given.DATA_DIR!)
  }
  const child = spawn(process.execPath, await entryPoint(), {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: join(APP_FOLDER, 'node_modules/.cache/compiled'),
      ...given,
    },
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

/** The default port of the program. */
export const DEFAULT_PORT = 3000

/** The build if it matches the sources, else the sources. */
async function entryPoint(): Promise<string[]> {
  const { isBuilt } = (await import(new URL(BUILD_MODULE, APP_ROOT).href)) as BuildModule
  const file = (path: string) => fileURLToPath(new URL(path, APP_ROOT))
  return isBuilt(APP_FOLDER)
    ? [file('build/bin/server.js')]
    : [RUN_TYPESCRIPT, file('bin/server.ts')]
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
    await sleep(POLL_INTERVAL_MS)
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
