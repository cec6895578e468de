import { spawn, type ChildProcess } from 'node:child_process'
import type { Binaries } from './binaries.js'

/** Ends a PostgreSQL program with its parent by a signal, so that a killed hub leaves no server behind. */
const endWithParent = ['--pdeathsig', 'INT', '--']

/** The user and libraries of PostgreSQL programs. */
export class Launcher {
  readonly binaries: Binaries
  readonly #prefix: readonly string[]
  readonly #environment: NodeJS.ProcessEnv

  private constructor(prefix: readonly string[], binaries: Binaries, libraryPath: string) {
    this.binaries = binaries
    this.#prefix = prefix
    // Only required variables: the environment of the hub contains secrets.
    this.#environment = {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      LD_LIBRARY_PATH: libraryPath,
      LC_ALL: 'C',
      TZ: 'UTC',
    }
  }

  /** Runs programs as the user of this process. */
  static asThisUser(binaries: Binaries, libraryPath: string): Launcher {
    return new Launcher(['setpriv', ...endWithParent], binaries, libraryPath)
  }

  /** Runs programs as another user. Needs root. */
  static asUser(uid: number, gid: number, binaries: Binaries, libraryPath: string): Launcher {
    const identity = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
    return new Launcher(['setpriv', ...identity, ...endWithParent], binaries, libraryPath)
  }

  /** Runs programs as root that appears as "nobody" in a user namespace: PostgreSQL refuses to run as root. */
  static inUserNamespace(binaries: Binaries, libraryPath: string): Launcher {
    const namespace = ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--']
    return new Launcher([...namespace, 'setpriv', ...endWithParent], binaries, libraryPath)
  }

  /** Starts a server process in its own session, so that Ctrl-C in a terminal does not reach it. */
  startServer(args: readonly string[], logDescriptor: number): ChildProcess {
    const [file, ...rest] = this.#command(this.binaries.postgres, args)
    const stdio = ['ignore', logDescriptor, logDescriptor] as const
    return spawn(file, rest, { env: this.#environment, stdio: [...stdio], detached: true })
  }

  /** Runs a program and returns its output; never rejects. */
  run(
    program: string,
    args: readonly string[],
    input = ''
  ): Promise<{ ok: boolean; output: string }> {
    const [file, ...rest] = this.#command(program, args)
    const child = spawn(file, rest, { env: this.#environment, stdio: 'pipe' })
    return new Promise((resolve) => {
      let output = ''
      const keep = (chunk: Buffer) => (output = (output + chunk).slice(-16_384))
      child.stdout.on('data', keep)
      child.stderr.on('data', keep)
      child.stdin.on('error', () => {}).end(input)
      child.on('error', (error) => resolve({ ok: false, output: error.message }))
      child.on('close', (status) => resolve({ ok: status === 0, output }))
    })
  }

  #command(program: string, args: readonly string[]): [string, ...string[]] {
    return [...this.#prefix, program, ...args] as [string, ...string[]]
  }
}
