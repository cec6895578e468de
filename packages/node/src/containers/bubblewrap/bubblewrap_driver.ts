import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { ContainersUnavailable } from '#node/errors'
import { Forwarder } from '#node/containers/forwarder'
import { RunFolder } from '#node/containers/run_folder'
import { resolveSpec } from '#node/containers/resolve_spec'
import { SYSTEM_ENVIRONMENT } from '#node/containers/system_environment'
import {
  ANALYSIS_PORT,
  DEFAULT_LIMITS,
  GATEWAY_PORT,
  type Container,
  type ContainerDriver,
  type ContainerSpec,
} from '#node/containers/container_driver'
import { BubblewrapContainer } from './bubblewrap_container.js'
import { namespaceOptions } from './bubblewrap_arguments.js'
import { limitCommand, networkCommand } from './launch_command.js'
import { olderThanFloor } from './version_floor.js'
import { namespaceAdvice } from './namespace_advice.js'

const run = promisify(execFile)

const NOT_INSTALLED =
  'Bubblewrap is not installed: run "apt-get install bubblewrap" (Debian, Ubuntu) or "dnf install bubblewrap"'

/**
 * Runs containers with Bubblewrap, which needs no rights of its own. Two layers: the outer one is a network in which the
 * forwarder listens; the inner one joins it, and is the container.
 */
export class BubblewrapDriver implements ContainerDriver {
  readonly name = 'bubblewrap'
  readonly unbounded = ['sharedMemory'] as const
  readonly #folder: RunFolder
  #isAvailable = false

  /** `folder` is that of this node only. */
  constructor(folder: string) {
    this.#folder = new RunFolder(folder)
  }

  async available(): Promise<string | undefined> {
    const probe = [...namespaceOptions('probe'), '--ro-bind', '/', '/', '--proc', '/proc']
    const [file, ...args] = [
      ...limitCommand(DEFAULT_LIMITS),
      ...['bwrap', '--unshare-net', ...probe, '--', 'true'],
    ]
    try {
      const { stdout } = await run('bwrap', ['--version'], { cwd: '/', env: SYSTEM_ENVIRONMENT })
      const tooOld = olderThanFloor(stdout)
      if (tooOld !== undefined) {
        return tooOld
      }
      await run(file!, args, { cwd: '/', env: SYSTEM_ENVIRONMENT })
      return undefined
    } catch (error) {
      return unavailable(error as NodeJS.ErrnoException & { readonly stderr?: string })
    }
  }

  recover(): Promise<void> {
    return this.#folder.clear()
  }

  async start(stated: ContainerSpec): Promise<Container> {
    await this.#requireAvailable()
    const spec = resolveSpec(stated)
    const folder = await this.#folder.create()
    let forwarder: Forwarder | undefined
    try {
      forwarder = await Forwarder.start(networkCommand(spec.rootPath), {
        gatewaySocket: spec.gatewaySocket,
        gatewayPort: GATEWAY_PORT,
        inboundSocket: spec.inboundSocket,
        analysisPort: ANALYSIS_PORT,
      })
      return await BubblewrapContainer.start(spec, folder, forwarder)
    } catch (error) {
      await forwarder?.close()
      await folder.remove()
      throw error
    }
  }

  async #requireAvailable(): Promise<void> {
    const reason = this.#isAvailable ? undefined : await this.available()
    if (reason !== undefined) {
      throw new ContainersUnavailable(reason)
    }
    this.#isAvailable = true
  }
}

function unavailable({ code, stderr = '', message }: Error & { code?: unknown; stderr?: string }) {
  const output = stderr.trim() || message
  if (code === 'ENOENT' && /spawn bwrap/.test(message)) {
    return NOT_INSTALLED
  }
  if (code === 'ENOENT') {
    return `Containers need the programs of the Debian package util-linux: ${output}`
  }
  if (/bwrap: No such file/.test(output)) {
    return NOT_INSTALLED
  }
  return `Bubblewrap cannot make a container: ${output}. ${namespaceAdvice()}`
}
