import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { RUN_TYPESCRIPT } from '#tests/helpers/typescript'

const PROGRAM = fileURLToPath(new URL('storage_server.ts', import.meta.url))

/** The platform in a process of its own, on the database of this run, to be killed at any moment. */
export class StorageProcess {
  /** Base address of its storage. */
  readonly base: string
  /** Of the person it knows, who may do everything. */
  readonly token: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, { base, token }: { base: string; token: string }) {
    this.#child = child
    this.base = base
    this.token = token
  }

  /** Processes with the same person and the same object store can go on with each other's uploads. */
  static async start(
    personId: string,
    variables: Record<string, string | undefined>
  ): Promise<StorageProcess> {
    const args = ['--pdeathsig', 'KILL', '--', process.execPath, RUN_TYPESCRIPT, PROGRAM]
    const child = spawn('setpriv', args, {
      env: { ...process.env, ...variables, PERSON_ID: personId },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    for await (const line of createInterface(child.stdout!)) {
      return new StorageProcess(child, JSON.parse(line))
    }
    throw new Error('The storage process ended before it was ready')
  }

  async kill(): Promise<void> {
    const { exitCode, signalCode } = this.#child
    if ((exitCode ?? signalCode) !== null) {
      return
    }
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
  }
}
