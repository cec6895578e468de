import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, statfs, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { until } from './until.js'

const run = promisify(execFile)

const BRIDGE = 'hosts'
const SUBNET = '10.29.0'
const NAMESPACES = '/run/netns'
/** Files of PostgreSQL's log alone may take one. */
const DISK_SIZE = '2g'
/** How long something took is measured with another clock, which goes on as before. */
const FAKE_CLOCK = [
  'env',
  'LD_PRELOAD=/usr/$LIB/faketime/libfaketimeMT.so.1',
  'FAKETIME_DONT_FAKE_MONOTONIC=1',
]
const FILLER = 'filler'
const NAMES = 'names'

/** Nothing passes between the host and those of these addresses. */
const separation = (addresses: readonly string[]) => `
  table inet cut {
    chain output {
      type filter hook output priority 0;
      ip daddr { ${addresses.join()} } drop
    }
    chain input {
      type filter hook input priority 0;
      ip saddr { ${addresses.join()} } drop
    }
  }`

/** Nothing that the host sends arrives, while it receives what others send. */
const SILENCE = `
  table inet cut {
    chain output {
      type filter hook output priority 0; policy drop;
      oifname "lo" accept
    }
  }`

async function ip(...args: string[]): Promise<void> {
  await run('ip', args)
}

/** In memory, since the machine itself does not fail. */
async function mountDisk(folder: string, size: string): Promise<void> {
  await run('mount', ['-t', 'tmpfs', '-o', `mode=1777,size=${size}`, 'tmpfs', folder])
}

/** Fails if more than that is on the disk. */
async function resizeDisk(folder: string, size: string): Promise<void> {
  await run('mount', ['-o', `remount,size=${size}`, folder])
}

/** A host with a network of its own, beside others at one bridge. */
export class Host {
  readonly name: string
  readonly address: string
  /** The folder that its only disk is mounted on. */
  readonly disk: string
  /** Of the file system that its programs see. */
  readonly root: string
  /** Begins a command of this machine, as if it ran on the host. */
  readonly networkPrefix: readonly string[]
  #clock: readonly string[] = []

  constructor(name: string, address: string, disk: string, root: string) {
    this.name = name
    this.address = address
    this.disk = disk
    this.root = root
    this.networkPrefix = ['nsenter', `--net=${NAMESPACES}/${name}`, '--']
  }

  /** Begins a command that runs on the host, with its clock, as an account that is taken with a command. */
  commandPrefix(takeAccount: readonly string[] = []): readonly string[] {
    const enterRoot = ['nsenter', `--root=${this.root}`, '--']
    return [...this.networkPrefix, ...enterRoot, ...takeAccount, ...this.#clock]
  }

  /** The clock of programs that are started from now on. The kernel has only one for all. */
  setClock(secondsAhead: number): void {
    this.#clock = secondsAhead === 0 ? [] : [...FAKE_CLOCK, `FAKETIME=+${secondsAhead}s`]
  }

  /** Nothing reaches the host, and nothing leaves it. */
  cut(): Promise<void> {
    return ip('link', 'set', this.name, 'down')
  }

  /** The host hears the others, who do not hear it. */
  silence(): Promise<void> {
    return this.#nft(SILENCE)
  }

  /** These hosts and this one do not reach each other; all others reach both. */
  separateFrom(others: readonly Host[]): Promise<void> {
    return this.#nft(separation(others.map(({ address }) => address)))
  }

  async heal(): Promise<void> {
    await ip('link', 'set', this.name, 'up')
    await this.#nft('table inet cut\ndelete table inet cut')
  }

  /** Takes all that is free of the disk, while others write to it: makes it as small as what is on it. */
  async fillDisk(): Promise<void> {
    // A size of 0 means without a limit.
    await writeFile(join(this.disk, FILLER), FILLER)
    await until('nothing of the disk is free', async () => {
      const { blocks, bfree, bsize } = await statfs(this.disk)
      await resizeDisk(this.disk, `${(blocks - bfree) * bsize}`)
      return (await statfs(this.disk)).bfree === 0
    })
  }

  async emptyDisk(): Promise<void> {
    await resizeDisk(this.disk, DISK_SIZE)
    await rm(join(this.disk, FILLER))
  }

  async #nft(rules: string): Promise<void> {
    const file = join(NAMESPACES, `${this.name}.nft`)
    await writeFile(file, rules)
    const [program, ...args] = this.networkPrefix
    await run(program!, [...args, 'nft', '-f', file])
  }
}

/**
 * The network that this process is alone in. Its hosts have names that all of their programs can look up, and are gone with
 * the process.
 */
export class Network {
  readonly #folder: string
  readonly #hosts: Host[] = []

  /** Takes a folder over which it mounts what its hosts keep. */
  static async open(folder: string): Promise<Network> {
    await mountDisk(folder, '4g')
    await mountDisk('/dev/shm', '2g')
    await mkdir(NAMESPACES, { recursive: true })
    await mountDisk(NAMESPACES, '1m')
    await writeFile(join(folder, NAMES), '')
    await run('mount', ['--bind', join(folder, NAMES), '/etc/hosts'])
    await ip('link', 'set', 'lo', 'up')
    await ip('link', 'add', BRIDGE, 'type', 'bridge')
    await ip('address', 'add', `${SUBNET}.1/24`, 'dev', BRIDGE)
    await ip('link', 'set', BRIDGE, 'up')
    return new Network(folder)
  }

  private constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Unpacks a file system for hosts, with the names of all. The disks of its hosts are in it, and it is itself under the
   * path that it has outside: paths on a disk are the same inside and outside.
   */
  async unpack(archive: string): Promise<string> {
    const root = await mkdtemp(join(this.#folder, 'root-'))
    await run('tar', ['--extract', `--file=${archive}`, `--directory=${root}`])
    await mkdir(join(root, this.#folder), { recursive: true })
    await symlink('/', join(root, root))
    await run('mount', ['-t', 'proc', 'proc', join(root, 'proc')])
    await run('mount', ['--rbind', '/dev', join(root, 'dev')])
    await writeFile(join(root, 'etc/hosts'), '')
    await run('mount', ['--bind', join(this.#folder, NAMES), join(root, 'etc/hosts')])
    return root
  }

  /** Adds hosts of these names, by default with the file system of this machine. */
  async add(names: readonly string[], root?: string): Promise<Host[]> {
    const parent = root ?? this.#folder
    const added: Host[] = []
    for (const name of names) {
      const address = `${SUBNET}.${10 + this.#hosts.length}`
      const host = new Host(name, address, join(parent, name), root ?? '/')
      await mkdir(host.disk)
      await mountDisk(host.disk, DISK_SIZE)
      await this.#connect(host)
      this.#hosts.push(host)
      added.push(host)
    }
    await this.#writeNames()
    return added
  }

  async #connect({ name, address }: Host): Promise<void> {
    const inside = ['-n', name]
    await ip('netns', 'add', name)
    await ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
    await ip('link', 'set', name, 'master', BRIDGE)
    await ip('link', 'set', name, 'up')
    await ip(...inside, 'address', 'add', `${address}/24`, 'dev', 'eth0')
    await ip(...inside, 'link', 'set', 'eth0', 'up')
    await ip(...inside, 'link', 'set', 'lo', 'up')
  }

  async #writeNames(): Promise<void> {
    const lines = this.#hosts.map(({ name, address }) => `${address} ${name}\n`)
    const text = ['127.0.0.1 localhost\n', ...lines].join('')
    await writeFile(join(this.#folder, NAMES), text)
  }
}
