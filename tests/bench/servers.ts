import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { freePort } from '#tests/services/servers/free_port'

export interface BenchServer {
  url: string
  pid: number
  stop(): Promise<void>
}

/**
 * Starts one of the servers that are compared, as a process of its own, without request limits and logs.
 */
export async function startServer(
  file: string,
  env: Record<string, string> = {}
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
  await ready(child, file)
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    async stop() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

async function ready(child: ChildProcess, file: string): Promise<void> {
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${file} ended before it was ready`)
  })
  await Promise.race([once(child, 'message'), ended])
}
