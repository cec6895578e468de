import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { mkdir, open, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

import { ContainersUnavailable } from '#node/errors'
import { RunFolder } from '#node/containers/run_folder'
import { resolveSpec } from '#node/containers/resolve_spec'
import { SYSTEM_ENVIRONMENT } from '#node/containers/system_environment'
import type { Container, ContainerDriver, ContainerSpec } from '#node/containers/container_driver'
import { groupsUnavailable } from './control_group.js'
import { PidNamespace } from './pid_namespace.js'
import { deleteContainer, RuncContainer } from './runc_container.js'

const run = promisify(execFile)
const STATE = 'state'
const NAMESPACES = ['--mount', '--pid', '--net', '--ipc', '--uts', '--cgroup']

/** Runs containers with runc as root, with limits that control groups hold. */
export class RuncDriver implements ContainerDriver {
  readonly name = 'runc'
  readonly unbounded = []
  readonly #folder: RunFolder
  readonly #statePath: string

  /** `folder` is that of this node only. */
  constructor(folder: string) {
    this.#folder = new RunFolder(join(folder, 'containers'))
    this.#statePath = join(folder, STATE)
  }

  async available(): Promise<string | undefined> {
    if (process.getuid?.() !== 0) {
      return 'Only root may run containers with runc: use the driver bubblewrap, or start the node as root'
    }
    try {
      await run('runc', ['--version'], { env: SYSTEM_ENVIRONMENT })
    } catch (error) {
      return `runc is not installed: run "apt-get install runc" (${(error as Error).message})`
    }
    return (await this.#withoutNamespaces()) ?? groupsUnavailable()
  }

  /** Within a container, root may lack the right to make further ones. */
  async #withoutNamespaces(): Promise<string | undefined> {
    try {
      await run('unshare', [...NAMESPACES, '--fork', 'true'], { env: SYSTEM_ENVIRONMENT })
      return undefined
    } catch (error) {
      const { stderr } = error as { readonly stderr?: string }
      const reason = stderr?.trim() || (error as Error).message
      return `Root may not make namespaces here (${reason}): within a container, that one needs CAP_SYS_ADMIN; or use the driver bubblewrap where accounts may make user namespaces`
    }
  }

  async recover(): Promise<void> {
    for (const id of await readdir(this.#statePath).catch(() => [])) {
      await deleteContainer(this.#statePath, id)
    }
    await this.#folder.clear()
  }

  async start(stated: ContainerSpec): Promise<Container> {
    const reason = await this.available()
    if (reason !== undefined) {
      throw new ContainersUnavailable(reason)
    }
    const spec = resolveSpec(stated)
    await prepareRoot(spec)
    await mkdir(this.#statePath, { recursive: true, mode: 0o700 })
    const folder = await this.#folder.create()
    let namespace: PidNamespace | undefined
    try {
      namespace = await PidNamespace.create()
      return await RuncContainer.start(spec, { statePath: this.#statePath, folder, namespace })
    } catch (error) {
      await namespace?.end()
      await deleteContainer(this.#statePath, basename(folder.path))
      await folder.remove()
      throw error
    }
  }
}

/** runc gives a mounted folder the mode of the folder below it. */
async function prepareRoot({ rootPath }: ContainerSpec): Promise<void> {
  const tmp = await open(join(rootPath, 'tmp'), constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    await tmp.chmod(0o1777)
  } finally {
    await tmp.close()
  }
}
