import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const IN_A_SPACE_OF_ITS_OWN = ['--user', '--map-root-user', '--mount', 'sh', '-c']

/** Ends, and the disk with it, as soon as nobody holds the other end of its input. */
const HOLD = 'mount -t tmpfs -o "size=$1" none "$0" && echo mounted && exec cat'

export const CANNOT_MOUNT = 'this system lets nobody mount a small disk'

/**
 * A disk that is soon full. Only a process made for it has it mounted; a process of the same user reaches it through that
 * one, and it stays mounted nowhere when the tests are killed.
 */
export class SmallDisk {
  readonly #holder: ChildProcess
  readonly #mountPoint: string

  private constructor(holder: ChildProcess, mountPoint: string) {
    this.#holder = holder
    this.#mountPoint = mountPoint
  }

  static async mount(bytes: number): Promise<SmallDisk> {
    const mountPoint = await mkdtemp(join(tmpdir(), 'analysis-hub-disk-'))
    const args = [...IN_A_SPACE_OF_ITS_OWN, HOLD, mountPoint, String(bytes)]
    const holder = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(holder.stdout!, 'data')
    return new SmallDisk(holder, mountPoint)
  }

  get path(): string {
    return `/proc/${this.#holder.pid}/root${this.#mountPoint}`
  }

  async remove(): Promise<void> {
    const ended = once(this.#holder, 'exit')
    this.#holder.stdin!.end()
    await ended
    await rm(this.#mountPoint, { recursive: true })
  }
}

/** Whether this system lets us mount a disk at all. */
export function canMount(): boolean {
  try {
    const mount = 'mount -t tmpfs -o size=1m none /mnt'
    execFileSync('unshare', [...IN_A_SPACE_OF_ITS_OWN, mount], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
