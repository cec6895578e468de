import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCES = '{app,bin,config,database,providers,start}/**/*.ts'
const LIMIT_MS = 60_000

type Program = 'server' | 'pool'
type Variables = Record<string, string | undefined>

export interface End {
  code: number | null
  signal: NodeJS.Signals | null
}

/**
 * A program of the hub in a real process, with a folder of its own as working directory and for its data. It takes free
 * ports. Whoever started it calls `remove`.
 */
export class HubProcesses {
  readonly folder: string
  readonly ended: Promise<End>
  readonly #child: ChildProcess
  #output = ''

  /** Starts a program and returns at once. */
  static async launch(program: Program, variables: Variables = {}, folder?: string): Promise<HubProcesses> {
    return new HubProcesses(program, variables, folder ?? (await mkdtemp(join(tmpdir(), 'hub-processes-'))))
  }

  /** Starts a program and returns when it says that it is ready. */
  static async start(program: Program, variables: Variables = {}): Promise<HubProcesses> {
    const hub = await HubProcesses.launch(program, variables)
    await hub.until('ready', () => hub.#output.includes('is ready after'))
    return hub
  }

  private constructor(program: Program, variables: Variables, folder: string) {
    this.folder = folder
    // In a process group of its own, as from a terminal, so that all of it can be signalled at once.
    this.#child = spawn(process.execPath, entry(program), {
      cwd: folder,
      env: { ...surroundings(folder), ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    this.#child.stdout!.on('data', (chunk: Buffer) => void (this.#output += chunk))
    this.#child.stderr!.on('data', (chunk: Buffer) => void (this.#output += chunk))
    this.ended = once(this.#child, 'close').then(([code, signal]) => ({ code, signal }))
  }
}
