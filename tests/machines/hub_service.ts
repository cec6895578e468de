import { appendFile } from 'node:fs/promises'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { pauseInhabitants, signalInhabitants } from '#tests/services/servers/inhabitants'
import type { Host } from './network.js'
import { Unit, type Service } from './unit.js'

/** The program of the hub on a host; a new process at each start. */
class HubService implements Service {
  readonly #host: Host
  readonly #variables: Record<string, string>
  readonly #log: string
  #processes: HubProcesses | undefined
  #running: HubProcesses | undefined

  constructor(host: Host, variables: Record<string, string>, log: string) {
    this.#host = host
    this.#variables = variables
    this.#log = log
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  async start(): Promise<void> {
    await this.remove()
    const commandPrefix = this.#host.commandPrefix()
    const processes = await HubProcesses.launch('server', {
      variables: { ...this.#variables, TMPDIR: this.#host.disk },
      commandPrefix,
    })
    this.#processes = processes
    this.#running = processes
    void processes.exit.then(() => {
      this.#running = this.#running === processes ? undefined : this.#running
    })
    await processes.until('it was ready', () => processes.output.includes('is ready after'))
  }

  askToEnd(): void {
    this.signal('SIGTERM')
  }

  signal(name: NodeJS.Signals): number {
    return this.#processes ? signalInhabitants(this.#processes.folder, name) : 0
  }

  async pause(): Promise<void> {
    if (this.#processes) {
      await pauseInhabitants(this.#processes.folder)
    }
  }

  /** Keeps what it logged. */
  async remove(): Promise<void> {
    if (this.#processes) {
      await this.#processes.remove()
      await appendFile(this.#log, this.#processes.output)
      this.#processes = undefined
    }
  }
}

/** Starts the program of the hub on a host, where it is kept running. */
export async function startHub(
  host: Host,
  variables: Record<string, string>,
  log: string
): Promise<Unit> {
  const service = new HubService(host, variables, log)
  await service.start()
  return new Unit(`hub on ${host.name}`, host, service)
}
