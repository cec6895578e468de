import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  constants,
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readFile,
  realpath,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

import { Guardian } from './guardian.js'
import { pauseInhabitants, signalInhabitants } from './inhabitants.js'

const execute = promisify(execFile)

const READY_WITHIN_MS = 300_000
const STOP_WITHIN_MS = 60_000
const POLL_MS = 25
const LOG_TAIL_LINES = 30

type Owner = { uid: number; gid: number }
type Environment = Record<string, string>

type CommandPrefix = (takeAccount: readonly string[]) => readonly string[]

export interface HomeOptions {
  readonly name: string
  readonly account: string
  readonly stopSignal: NodeJS.Signals
  /**
   * What begins each command of the server, such as one of root that enters a network namespace. It contains the command
   * that takes the account of the server.
   */
  readonly commandPrefix?: CommandPrefix
  /** Where its folder is made; by default where temporary files are. */
  readonly parent?: string
}

export class ServerNotReadyError extends Error {
  static readonly code = 'E_SERVER_NOT_READY'
  readonly code = ServerNotReadyError.code

  constructor(name: string, reason: string, log: string, cause: unknown) {
    super(`${name} ${reason}; the end of its log:\n${log}`, { cause })
  }
}

/**
 * The folder one server lives in: its data, its log and its processes, which all work inside it and are known by that.
 * Run by root, everything in it belongs to the unprivileged account of the server's package.
 */
export class Home {
  readonly name: string
  readonly path: string
  readonly #owner: Owner | undefined
  readonly #guardian: Guardian
  readonly #stopSignal: NodeJS.Signals
  readonly #commandPrefix: CommandPrefix | undefined
  #daemons: ChildProcess[] = []
  #log = ''

  private constructor(path: string, owner: Owner | undefined, options: HomeOptions) {
    const { name, stopSignal, commandPrefix } = options
    this.name = name
    this.path = path
    this.#owner = owner
    this.#stopSignal = stopSignal
    this.#commandPrefix = commandPrefix
    this.#guardian = new Guardian(path, stopSignal)
  }

  static async create(options: HomeOptions): Promise<Home> {
    const { name, account, parent = tmpdir() } = options
    const owner = process.getuid?.() === 0 ? await accountIds(account) : undefined
    const path = await mkdtemp(join(await realpath(parent), `analysis-hub-${name}-`))
    const home = new Home(path, owner, options)
    await home.#handOver(path)
    return home
  }

  /** Whether every daemon that was started still runs. */
  get isRunning(): boolean {
    return this.#daemons.length > 0 && !this.#daemons.some(hasEnded)
  }

  /** The process id of the daemon that was started last. None is never 0: signals to that hit the tests themselves. */
  get pid(): number {
    const pid = this.#daemons.at(-1)?.pid
    if (pid === undefined) {
      throw new Error(`${this.name} is not running, so it has no process id; restart it first`)
    }
    return pid
  }

  async makeFolder(name: string): Promise<string> {
    const path = join(this.path, name)
    await mkdir(path, { mode: 0o700 })
    await this.#handOver(path)
    return path
  }

  /** Files are readable by the server alone: passwords go in here, never into arguments. */
  async write(name: string, content: string): Promise<string> {
    const path = join(this.path, name)
    await writeFile(path, content, { mode: 0o600 })
    await this.#handOver(path)
    return path
  }

  /** Copies a program to where the server's account reaches it. */
  async lay(program: string): Promise<string> {
    const path = join(this.path, basename(program))
    await copyFile(program, path, constants.COPYFILE_FICLONE)
    await chmod(path, 0o755)
    return path
  }

  /** Runs a command to its end, as the server's account. */
  async run(command: string, args: string[], env: Environment = {}): Promise<string> {
    const [program, all] = this.#prefixed(command, args)
    const { stdout } = await execute(program, all, this.#surroundings(env))
    return stdout
  }

  /** Starts a process that stays in the foreground; it must not leave this folder as its working directory. */
  async spawn(command: string, args: string[], env: Environment = {}): Promise<void> {
    this.#log = join(this.path, `${basename(command)}.log`)
    const log = await open(this.#log, 'a')
    try {
      const [program, all] = this.#prefixed(command, args)
      const daemon = spawn(program, all, {
        ...this.#surroundings(env),
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
      })
      await once(daemon, 'spawn')
      daemon.unref()
      this.#daemons.push(daemon)
    } finally {
      await log.close()
    }
  }

  /** Repeats a probe until it passes, and gives up early when a daemon is gone. */
  async until(probe: () => Promise<unknown>): Promise<void> {
    const deadline = performance.now() + READY_WITHIN_MS
    for (;;) {
      const failure = await probe().then(
        () => undefined,
        (error: unknown) => ({ error })
      )
      if (!failure) {
        return
      }
      if (this.#daemons.some(hasEnded)) {
        throw await this.#notReady('ended before it was ready', failure.error)
      }
      if (performance.now() > deadline) {
        throw await this.#notReady(`was not ready in ${READY_WITHIN_MS} ms`, failure.error)
      }
      await sleep(POLL_MS)
    }
  }

  /** Asks the daemons to end by themselves. Processes of theirs are left to them. */
  askToEnd(): void {
    this.#daemons.forEach((daemon) => daemon.kill(this.#stopSignal))
  }

  /** Lets every daemon end by itself, the last one first; those that do not are killed. */
  async shutDown(): Promise<void> {
    for (const daemon of this.#daemons.toReversed()) {
      if (!hasEnded(daemon)) {
        const patience = AbortSignal.timeout(STOP_WITHIN_MS)
        const ended = once(daemon, 'exit', { signal: patience }).catch(() => {})
        daemon.ref()
        daemon.kill(this.#stopSignal)
        daemon.kill('SIGCONT')
        await ended
      }
    }
    await this.kill()
  }

  /** Ends every process of the server as a power cut would; resolves when none is left. */
  async kill(): Promise<void> {
    const deadline = performance.now() + STOP_WITHIN_MS
    while (this.signal('SIGKILL') > 0 || !this.#daemons.every(hasEnded)) {
      if (performance.now() > deadline) {
        throw new Error(`Processes of ${this.name} are still alive after SIGKILL`)
      }
      await sleep(5)
    }
    this.#daemons = []
  }

  /** Resolves when no process of the server runs any more, until it is told to continue. */
  pause(): Promise<void> {
    return pauseInhabitants(this.path)
  }

  /** Sends a signal to every process of the server and tells how many there were. */
  signal(signal: NodeJS.Signals): number {
    return signalInhabitants(this.path, signal)
  }

  /** Stops whatever still runs and removes the folder. */
  async demolish(): Promise<void> {
    await this.#guardian.dismiss()
    this.#daemons = []
  }

  #prefixed(command: string, args: readonly string[]): [string, string[]] {
    const prefix = this.#commandPrefix?.(takeAccount(this.#owner)) ?? []
    const [program, ...more] = [...prefix, command, ...args]
    return [program!, more]
  }

  #surroundings(env: Environment) {
    return {
      ...(!this.#commandPrefix && this.#owner),
      cwd: this.path,
      env: {
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
        LANG: 'C.UTF-8',
        HOME: this.path,
        TMPDIR: this.path,
        ...env,
      },
    }
  }

  async #handOver(path: string): Promise<void> {
    if (this.#owner) {
      await chown(path, this.#owner.uid, this.#owner.gid)
    }
  }

  async #notReady(reason: string, cause: unknown): Promise<ServerNotReadyError> {
    const log = await readFile(this.#log, 'utf8').catch(() => '')
    const tail = log.trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n')
    return new ServerNotReadyError(this.name, reason, tail, cause)
  }
}

async function accountIds(account: string): Promise<Owner> {
  const [uid, gid] = await Promise.all([
    execute('id', ['-u', account]),
    execute('id', ['-g', account]),
  ])
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

function takeAccount(owner: Owner | undefined): string[] {
  return owner
    ? ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups', '--']
    : []
}

function hasEnded(daemon: ChildProcess): boolean {
  return daemon.exitCode !== null || daemon.signalCode !== null
}
