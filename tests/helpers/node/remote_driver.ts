import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import type {
  Container,
  ContainerDriver,
  ContainerExit,
  ContainerSpec,
} from '#node/containers/container_driver'
import { ContainerStartFailed } from '#node/errors'
import type { DriverRequest, DriverResponse } from './driver_program.js'

const PROGRAM = fileURLToPath(new URL('./driver_program.ts', import.meta.url))

type WithoutId<Request> = Request extends unknown ? Omit<Request, 'id'> : never

/** A driver in a process of another account, or in one that a test kills. */
export class RemoteDriver implements ContainerDriver {
  readonly name: 'bubblewrap' | 'runc'
  /** It is given no control group. */
  readonly unbounded = ['sharedMemory'] as const
  readonly #program: ChildProcess
  readonly #pending = new Map<number, PromiseWithResolvers<string | ContainerExit | undefined>>()
  readonly #listeners = new Map<number, ContainerSpec['onLine']>()
  #nextId = 0

  constructor(
    folder: string,
    commandPrefix: readonly string[] = [],
    name: 'bubblewrap' | 'runc' = 'bubblewrap'
  ) {
    this.name = name
    const [file, ...args] = [
      ...commandPrefix,
      ...[process.execPath, '--import=@poppinss/ts-exec', PROGRAM, folder, name],
    ]
    this.#program = spawn(file!, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    this.#program.on('message', (response: DriverResponse) => this.#receive(response))
  }

  async available(): Promise<string | undefined> {
    return (await this.#send({ type: 'available' })) as string | undefined
  }

  async recover(): Promise<void> {
    await this.#send({ type: 'recover' })
  }

  async start({ onLine, onRefusal: _, ...spec }: ContainerSpec): Promise<Container> {
    const container = this.#nextId
    this.#listeners.set(container, onLine)
    await this.#send({ type: 'start', spec })
    return {
      exited: this.#send({ type: 'exited', container }) as Promise<ContainerExit>,
      stop: (graceMs) => this.#send({ type: 'stop', container, graceMs }) as Promise<ContainerExit>,
    }
  }

  /** `kill -9` of a node. */
  async kill(): Promise<void> {
    this.#pending.clear()
    this.#program.kill('SIGKILL')
    await once(this.#program, 'exit')
  }

  async close(): Promise<void> {
    this.#program.disconnect()
    await once(this.#program, 'exit')
  }

  #send(request: WithoutId<DriverRequest>): Promise<string | ContainerExit | undefined> {
    const id = this.#nextId++
    const pending = Promise.withResolvers<string | ContainerExit | undefined>()
    this.#pending.set(id, pending)
    this.#program.send({ ...request, id })
    return pending.promise
  }

  #receive(response: DriverResponse): void {
    if ('line' in response) {
      this.#listeners.get(response.container)?.(response.line, response.stream)
      return
    }
    const pending = this.#pending.get(response.id)
    this.#pending.delete(response.id)
    if ('problem' in response) {
      const { problem, isStartFailure } = response
      pending?.reject(isStartFailure ? new ContainerStartFailed(problem) : new Error(problem))
    } else {
      pending?.resolve(response.result)
    }
  }
}
