import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { ensurePackages, PACKAGES } from './packages.js'

const run = promisify(execFile)

/** What works in a container of a machine as well as on one. */
const SETTINGS = `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`

export interface PodmanResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A podman with containers and images of its own, which go with it. */
export class Podman {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async start(): Promise<Podman> {
    await ensurePackages(PACKAGES.podman)
    const podman = new Podman(await mkdtemp(join(tmpdir(), 'hub-podman-')))
    await writeFile(join(podman.folder, 'containers.conf'), SETTINGS)
    return podman
  }

  /** Runs podman to its end, however it ends. */
  async call(...args: string[]): Promise<PodmanResult> {
    const { folder } = this
    const own = ['--root', `${folder}/images`, '--runroot', `${folder}/run`, '--storage-driver=vfs']
    const env = { ...process.env, CONTAINERS_CONF: join(folder, 'containers.conf') }
    try {
      return { code: 0, ...(await run('podman', [...own, ...args], { env })) }
    } catch (error) {
      const { code, stdout = '', stderr = '' } = error as Partial<PodmanResult>
      if (typeof code !== 'number') {
        throw error
      }
      return { code, stdout, stderr }
    }
  }

  /** Like `call`, but fails with what podman says. */
  async must(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.call(...args)
    if (code !== 0) {
      throw new Error(`podman ${args.join(' ')} ended with ${code}: ${stderr || stdout}`)
    }
    return stdout.trim()
  }

  async remove(): Promise<void> {
    await this.call('rm', '--all', '--force', '--time=0')
    await this.call('rmi', '--all', '--force')
    await rm(this.folder, { recursive: true, force: true })
  }
}
