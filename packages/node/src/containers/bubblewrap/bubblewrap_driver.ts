import { execFile } from 'node:child_process'
import { basename } from 'node:path'
import { promisify } from 'node:util'

import { ContainersUnavailable } from '#node/errors'
import type { ContainerGroup } from '#node/containers/control_groups/container_group'
import { ContainerGroups } from '#node/containers/control_groups/container_groups'
import { RunFolder, type ContainerFolder } from '#node/containers/run_folder'
import { resolveSpec, type ResolvedSpec } from '#node/containers/resolve_spec'
import { SYSTEM_ENVIRONMENT } from '#node/containers/system_environment'
import {
  DEFAULT_LIMITS,
  type Container,
  type ContainerDriver,
  type ContainerSpec,
  type Unbounded,
} from '#node/containers/container_driver'
import { BubblewrapContainer } from './bubblewrap_container.js'
import { namespaceOptions } from './bubblewrap_arguments.js'
import { limitCommand, OWN_PROCESSES } from './launch_command.js'
import { olderThanFloor } from './version_floor.js'
import { namespaceAdvice } from './namespace_advice.js'

const run = promisify(execFile)

const NOT_INSTALLED =
  'Bubblewrap is not installed: run "apt-get install bubblewrap" (Debian, Ubuntu) or "dnf install bubblewrap"'

/**
 * Runs containers with Bubblewrap, which needs no rights of its own. Two layers: the outer one is a network in which the
 * sidecar listens; the inner one joins it, and is the container.
 */
export class BubblewrapDriver implements ContainerDriver {
  readonly name = 'bubblewrap'
  readonly #folder: RunFolder
  #isAvailable = false
  #groups: ContainerGroups | undefined
  #groupsOpened: Promise<void> | undefined

  /** `folder` is that of this node only. */
  constructor(folder: string) {
    this.#folder = new RunFolder(folder)
  }

  get unbounded(): readonly Unbounded[] {
    return this.#groups ? [] : ['sharedMemory']
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
      await this.#openGroups()
      return undefined
    } catch (error) {
      return unavailable(error as NodeJS.ErrnoException & { readonly stderr?: string })
    }
  }

  async recover(): Promise<void> {
    await this.#openGroups()
    await this.#groups?.clear()
    await this.#folder.clear()
  }

  async start(stated: ContainerSpec): Promise<Container> {
    await this.#requireAvailable()
    const spec = resolveSpec(stated)
    const folder = await this.#folder.create()
    let group: ContainerGroup | undefined
    try {
      group = await this.#createGroup(folder, spec)
      return await BubblewrapContainer.start(spec, folder, group)
    } catch (error) {
      await group?.remove()
      await folder.remove()
      throw error
    }
  }

  /** Named after the container, so that an administrator finds it. */
  #createGroup({ path }: ContainerFolder, { name, limits }: ResolvedSpec) {
    const processes = limits.processes + OWN_PROCESSES
    const groupName = `${name.replace(/[^\w-]/g, '')}-${basename(path)}`
    return this.#groups?.create(groupName, { ...limits, processes })
  }

  #openGroups(): Promise<void> {
    this.#groupsOpened ??= ContainerGroups.open(this.#folder.path).then((groups) => {
      this.#groups = groups
    })
    return this.#groupsOpened
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
