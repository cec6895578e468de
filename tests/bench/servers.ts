import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { freePort } from '#tests/services/servers/free_port'

export interface BenchServer {
  url: string
  pid: number
  /** The message it sent when it was ready. */
  told: unknown
  stop(): Promise<void>
}

/**
 * Starts one of the servers that are compared, as a process of its own, without request limits and logs.
 */
export async function startServer(
  file: string,
  env: Record<string, string> = {},
  { tells: announces = false } = {}
): Promise<BenchServer> {
  const port = await freePort()
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    env: {
      ...process.env,
      ...env,
      PORT: String(port),
      NODE_ENV: 'development',
      LOG_LEVEL: 'error',
    },
    execArgv: [],
  })
  const announced = await ready(child, file, announces)
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    told: announced,
    async stop() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** The framework also reports readiness, before the message of the server. */
async function ready(child: ChildProcess, file: string, announces: boolean): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  child.on('message', (message: unknown) => {
    if (!announces) {
      resolve(undefined)
    } else if (typeof message === 'object' && message !== null && 'told' in message) {
      resolve(message.told)
    }
  })
  child.once('exit', () => reject(new Error(`${file} ended before it was ready`)))
  return promise
}
