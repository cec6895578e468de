import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { ensurePackages, PACKAGES } from './packages.js'

const run = promisify(execFile)

const LIMIT_BYTES = 64 * 1024 ** 2

/** What works in a container of a machine as well as on one. Networks of others stay as they are. */
const settings = (folder: string) => `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_config_dir = "${folder}/networks"
`

/** The program with this storage, for other programs that call it, too. */
const program = (folder: string, storage: string) => `#!/bin/sh
export CONTAINERS_CONF=${folder}/containers.conf
exec /usr/bin/podman --root ${folder}/images --runroot ${folder}/run --storage-driver=${storage} "$@"
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

  /** Each container is a copy of its image with `vfs`, which works everywhere; with `overlay`, it is a layer above it. */
  static async start(storage: 'vfs' | 'overlay' = 'vfs'): Promise<Podman> {
    await ensurePackages(PACKAGES.podman)
    const podman = new Podman(await mkdtemp(join(tmpdir(), 'hub-podman-')))
    const { folder, programs } = podman
    await mkdir(programs)
    await writeFile(join(folder, 'containers.conf'), settings(folder))
    await writeFile(join(programs, 'podman'), program(folder, storage), { mode: 0o755 })
    return podman
  }

  /** The folder with a program `podman`, which is this one. */
  get programs(): string {
    return join(this.folder, 'programs')
  }

  /** Runs podman to its end, however it ends. */
  async call(...args: string[]): Promise<PodmanResult> {
    try {
      const options = { maxBuffer: LIMIT_BYTES }
      return { code: 0, ...(await run(join(this.programs, 'podman'), args, options)) }
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
