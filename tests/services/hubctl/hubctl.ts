import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { builtProgram } from '#tests/helpers/built_program'

export const PROGRAM = fileURLToPath(new URL('../../../node_modules/.bin/hubctl', import.meta.url))

/** Where contexts are kept, in the home of a machine. */
export const CONTEXTS_FILE = 'config/hubctl/contexts.json'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Call {
  readonly stdin?: string
  readonly env?: Record<string, string>
}

/** What a program sees that is started by somebody with this home. */
export function environmentOf(home: string) {
  return {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_CACHE_HOME: join(home, 'cache'),
  }
}

/** A machine of somebody who administers a platform: hubctl as it is installed, with a home of its own. */
export class Machine {
  static async createRecord(): Promise<Machine> {
    await builtProgram()
    return new Machine(await mkdtemp(join(tmpdir(), 'hubctl-')))
  }

  private constructor(readonly home: string) {}

  path(name: string): string {
    return join(this.home, name)
  }

  async write(name: string, content: string | Uint8Array): Promise<string> {
    await writeFile(this.path(name), content)
    return this.path(name)
  }

  read(name: string): Promise<Buffer> {
    return readFile(this.path(name))
  }

  /** The permissions of a file, as `600`. */
  async modeOf(name: string): Promise<string> {
    const { mode } = await stat(this.path(name))
    return (mode & 0o777).toString(8)
  }

  /** Starts a call that goes on until it is ended. */
  start(args: readonly string[], { env = {} }: Call = {}) {
    return spawn(process.execPath, [PROGRAM, ...args], {
      cwd: this.home,
      env: { ...environmentOf(this.home), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  }

  /** Makes one call and waits for its end. */
  async call(args: readonly string[], call: Call = {}): Promise<Ended> {
    const child = this.start(args, call)
    child.stdin.end(call.stdin ?? '')
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit') as Promise<[number | null]>,
    ])
    return { code, stdout, stderr }
  }

  /** What a call answers as JSON; a call that does not succeed fails the test. */
  async json<T = any>(...args: string[]): Promise<T> {
    return JSON.parse(await this.must(...args, '-o', 'json')) as T
  }

  /** What a call prints; a call that does not succeed fails the test. */
  must(...args: string[]): Promise<string> {
    return this.succeed(args)
  }

  /** Like `must`, with an input or variables. */
  async succeed(args: readonly string[], call?: Call): Promise<string> {
    const { code, stdout, stderr } = await this.call(args, call)
    if (code !== 0) {
      throw new Error(`hubctl ${args.join(' ')} ended with ${code}:\n${stderr}${stdout}`)
    }
    return stdout
  }

  /** Logs in by a password. */
  async login(
    url: string,
    user = 'admin',
    password = 'start123',
    ...more: string[]
  ): Promise<void> {
    const args = ['login', '--url', url, '--user', user, '--stdin', ...more]
    const { code, stderr } = await this.call(args, { stdin: `${password}\n` })
    if (code !== 0) {
      throw new Error(`The login ended with ${code}:\n${stderr}`)
    }
  }

  /** The headers of a request as whoever is logged in, for what would take too many calls. */
  async headers(): Promise<Record<string, string>> {
    const { contexts, current } = JSON.parse(String(await this.read(CONTEXTS_FILE)))
    const { accessToken } = contexts[current].tokens
    return { 'authorization': `Bearer ${accessToken}`, 'content-type': 'application/json' }
  }

  async remove(): Promise<void> {
    await rm(this.home, { recursive: true, force: true })
  }
}
