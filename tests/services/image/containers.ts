import type { Assert } from '@japa/assert'

import { eventually } from '#tests/helpers/eventually'
import type { Podman, PodmanResult } from '#tests/services/servers/podman'

export const USER = 54_321
export const LIMIT_MS = 300_000

const NODE = '/usr/local/bin/node'
const BIN = '/opt/analysis-hub/build/bin'

/** Nobody in particular, who may nothing. */
export const CONFINED = [
  ...['--read-only', '--read-only-tmpfs=false', '--cap-drop=all'],
  ...['--security-opt=no-new-privileges', `--user=${USER}:0`],
]

interface Start {
  readonly image: string
  /** The role and its arguments. */
  readonly command: readonly string[]
  readonly variables?: Readonly<Record<string, string>>
  /** Folders of this machine by their paths in the container. */
  readonly folders: Readonly<Record<string, string>>
  readonly options?: readonly string[]
}

/** A container of the image that runs one role on the network of this machine. */
export class RoleContainer {
  readonly #podman: Podman
  readonly #name: string

  private constructor(podman: Podman, name: string) {
    this.#podman = podman
    this.#name = name
  }

  static async start(
    podman: Podman,
    { image, command, variables = {}, folders, options = [] }: Start
  ): Promise<RoleContainer> {
    const container = new RoleContainer(podman, command[0]!)
    const env = Object.entries(variables).map(([name, value]) => `--env=${name}=${value}`)
    const volumes = Object.entries(folders).map(([path, folder]) => `--volume=${folder}:${path}`)
    const own = ['run', '--detach', '--replace', `--name=${container.#name}`, '--network=host']
    await podman.must(...own, ...CONFINED, ...options, ...env, ...volumes, image, ...command)
    return container
  }

  /** Runs Node.js in the container. */
  node = (...args: string[]): Promise<PodmanResult> =>
    this.#podman.call('exec', this.#name, NODE, ...args)

  /** Runs another role in the container. */
  role = (...command: string[]): Promise<PodmanResult> => this.node(`${BIN}/role.js`, ...command)

  /** Resolves when the health check of the image says so. */
  async ready(assert: Assert): Promise<void> {
    await eventually(async () => {
      const { code, stdout } = await this.node(`${BIN}/health.js`)
      await this.#mustRun(assert)
      return code === 0 && stdout.includes('ok')
    }, LIMIT_MS)
  }

  /** Resolves when a line of its output matches. */
  async says(line: RegExp, assert: Assert): Promise<void> {
    await eventually(async () => {
      await this.#mustRun(assert)
      return line.test(await this.#output())
    }, LIMIT_MS)
  }

  /** Ends it by its signal, which it answers with success. */
  async stop(assert: Assert): Promise<void> {
    await this.#podman.must('stop', '--time=280', this.#name)
    const code = await this.#podman.must('inspect', '--format={{.State.ExitCode}}', this.#name)
    assert.equal(code, '0', await this.#output())
  }

  async #mustRun(assert: Assert): Promise<void> {
    const state = await this.#podman.must('inspect', '--format={{.State.Status}}', this.#name)
    assert.equal(state, 'running', await this.#output())
  }

  async #output(): Promise<string> {
    const { stdout, stderr } = await this.#podman.call('logs', this.#name)
    return stdout + stderr
  }
}
