import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'

import { DEFAULT_LIMITS, type ContainerLimits } from '#node/containers/container_driver'
import { ContainerGroup } from './container_group.js'
import { distinctFolders, type GroupFolders } from './group_folders.js'
import { groupHome } from './group_home.js'

const PREFIX_LENGTH = 12

/** Makes a control group for each container, where this machine lets the node have some. */
export class ContainerGroups {
  readonly #home: GroupFolders
  readonly #prefix: string

  /** Undefined where no groups can be made. `owner` distinguishes the groups of this node from those of others. */
  static async open(owner: string): Promise<ContainerGroups | undefined> {
    try {
      const groups = new ContainerGroups(await groupHome(), owner)
      const probe = await groups.create(`probe-${process.pid}`, DEFAULT_LIMITS)
      await probe.remove()
      return groups
    } catch {
      return undefined
    }
  }

  private constructor(home: GroupFolders, owner: string) {
    const digest = createHash('sha256').update(owner).digest('hex')
    this.#home = home
    this.#prefix = `hub-node-${digest.slice(0, PREFIX_LENGTH)}-`
  }

  async create(name: string, limits: ContainerLimits): Promise<ContainerGroup> {
    const group = this.#group(name)
    try {
      await group.create(limits)
      return group
    } catch (error) {
      await group.remove()
      throw error
    }
  }

  /** Removes those of an earlier process of this node. */
  async clear(): Promise<void> {
    const names = new Set<string>()
    for (const folder of distinctFolders(this.#home)) {
      const found = await readdir(folder)
      found.filter((name) => name.startsWith(this.#prefix)).forEach((name) => names.add(name))
    }
    for (const name of names) {
      await this.#group(name.slice(this.#prefix.length)).remove()
    }
  }

  #group(name: string): ContainerGroup {
    const { memory, pids, cpu } = this.#home
    const below = (folder: string) => `${folder}/${this.#prefix}${name}`
    return new ContainerGroup({
      memory: below(memory),
      pids: below(pids),
      ...(cpu !== undefined && { cpu: below(cpu) }),
    })
  }
}
