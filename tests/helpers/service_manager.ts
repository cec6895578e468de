import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { access, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { signalInhabitants } from '#tests/services/servers/inhabitants'
import { livingIn } from '#tests/services/servers/process_table'
import { eventually } from './eventually.js'

const run = promisify(execFile)

type Section = Record<string, string>

/** Where the paths that a unit names are on this machine. */
type Paths = Readonly<Record<string, string>>

/**
 * Stands in for systemd: runs the service of a unit file as its lines say. Its control group are the processes that work in
 * WorkingDirectory. Does what the unit relies on and no more, and refuses settings that it would have to do something about.
 */
export class ServiceManager {
  readonly #service: Section
  readonly #paths: Paths
  readonly #environment: NodeJS.ProcessEnv
  #main: ChildProcess
  #ended: Promise<unknown>
  #restarts = 0
  #isStopping = false
  #output = ''

  static async start(unit: string, paths: Paths): Promise<ServiceManager> {
    const { Service: service = {} } = sectionsOf(await readFile(unit, 'utf8'))
    const unknown = Object.keys(service).filter((name) => !UNDERSTOOD.has(name))
    if (unknown.length > 0) {
      throw new Error(`The service manager of the tests does not do ${unknown.join(', ')}`)
    }
    const file = paths[service.EnvironmentFile!] ?? service.EnvironmentFile!
    const environment = {
      ...environmentOf(service, paths, await credentialsOf(service, paths)),
      ...assignmentsIn(await readFile(file, 'utf8')),
    }
    return new ServiceManager(service, paths, environment)
  }

  private constructor(service: Section, paths: Paths, environment: NodeJS.ProcessEnv) {
    this.#service = service
    this.#paths = paths
    this.#environment = environment
    this.#main = this.#run()
    this.#ended = this.#watch()
  }

  get output(): string {
    return this.#output
  }

  /** How often the service was started again since its main process failed. */
  get restarts(): number {
    return this.#restarts
  }

  get mainPid(): number {
    return this.#main.pid!
  }

  /** Every process of the service. */
  get processes(): number[] {
    return livingIn(this.#folder)
  }

  /** `systemctl reload`; rejects where the command of the unit fails. */
  async reload(): Promise<void> {
    const [program, ...args] = this.#service
      .ExecReload!.replaceAll('$MAINPID', String(this.mainPid))
      .split(' ')
    await run(this.#paths[program!] ?? program!, args, {
      cwd: this.#folder,
      env: this.#ownEnvironment,
    })
  }

  /** `systemctl stop`; the answer is the exit code of the main process. */
  async stop(): Promise<number | null> {
    this.#isStopping = true
    const main = this.#main
    const limit = Number(this.#service.TimeoutStopSec) * 1_000
    const tooLong = setTimeout(() => this.#killAll(), limit)
    main.kill('SIGTERM')
    await this.#ended
    clearTimeout(tooLong)
    return main.exitCode
  }

  /** Ends whatever is left, as a test does at its end. */
  async remove(): Promise<void> {
    this.#isStopping = true
    await this.#killAll()
    await this.#ended
  }

  get #folder(): string {
    return this.#paths[this.#service.WorkingDirectory!]!
  }

  /** A service has nothing of the environment of whoever asked for it. */
  get #ownEnvironment(): NodeJS.ProcessEnv {
    return { PATH, HOME: this.#folder, ...this.#environment }
  }

  #run(): ChildProcess {
    const [program = '', ...args] = this.#service.ExecStart!.split(' ')
    const child = spawn(this.#paths[program] ?? program, args, {
      cwd: this.#folder,
      env: this.#ownEnvironment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const keep = (chunk: Buffer) => void (this.#output += chunk)
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    return child
  }

  /** With KillMode=mixed, what a main process leaves behind is killed at once. */
  async #watch(): Promise<void> {
    const main = this.#main
    await once(main, 'exit')
    await this.#killAll()
    const isFailure = main.exitCode !== 0 && !CLEAN.has(main.signalCode ?? '')
    if (isFailure && !this.#isStopping) {
      this.#restarts++
      this.#main = this.#run()
      await this.#watch()
    }
  }

  async #killAll(): Promise<void> {
    signalInhabitants(this.#folder, 'SIGKILL')
    await eventually(() => this.processes.length === 0, 30_000)
  }
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin'

/** What is done here, and what only says as whom and how far the service may go. */
const UNDERSTOOD = new Set([
  ...['WorkingDirectory', 'EnvironmentFile', 'Environment', 'LoadCredential'],
  ...['ExecStart', 'ExecReload', 'TimeoutStartSec'],
  ...['KillMode', 'TimeoutStopSec', 'Restart', 'RestartSec'],
  ...['User', 'LimitNOFILE', 'StateDirectory', 'StateDirectoryMode', 'UMask', 'RemoveIPC'],
  ...['NoNewPrivileges', 'CapabilityBoundingSet', 'LockPersonality'],
  ...['PrivateDevices', 'PrivateTmp', 'PrivateUsers'],
  ...['ProtectClock', 'ProtectControlGroups', 'ProtectHome', 'ProtectHostname', 'ProtectProc'],
  ...['ProtectKernelLogs', 'ProtectKernelModules', 'ProtectKernelTunables', 'ProtectSystem'],
  ...['RestrictAddressFamilies', 'RestrictNamespaces', 'RestrictRealtime', 'RestrictSUIDSGID'],
  ...['SystemCallArchitectures', 'SystemCallErrorNumber', 'SystemCallFilter'],
])

/** Signals that systemd takes for an orderly end, after which Restart=on-failure does nothing. */
const CLEAN = new Set(['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGPIPE'])

function sectionsOf(text: string): Record<string, Section> {
  const sections: Record<string, Section> = {}
  let section: Section = {}
  for (const line of linesOf(text)) {
    const heading = /^\[(\w+)\]$/.exec(line)?.[1]
    if (heading) {
      section = sections[heading] = {}
    } else {
      for (const [name, value] of Object.entries(assignment(line))) {
        section[name] = name in section ? `${section[name]}\n${value}` : value
      }
    }
  }
  return sections
}

/** The folder of the credentials (`%d`), which must all be there. */
async function credentialsOf(service: Section, paths: Paths): Promise<string> {
  const files = linesOf(service.LoadCredential ?? '').map((line) => line.split(':')[1]!)
  const folder = dirname(files[0]!)
  await Promise.all(files.map((file) => access(join(paths[folder]!, basename(file)))))
  return paths[folder]!
}

/** What the lines "Environment" set. */
function environmentOf(service: Section, paths: Paths, credentials: string): Section {
  const text = linesOf(service.Environment ?? '').map((line) => line.replaceAll('%d', credentials))
  const values = Object.entries(assignmentsIn(text.join('\n')))
  return Object.fromEntries(values.map(([name, value]) => [name, paths[value] ?? value]))
}

function assignmentsIn(text: string): Record<string, string> {
  return Object.assign({}, ...linesOf(text).map(assignment))
}

function assignment(line: string): Section {
  const equals = line.indexOf('=')
  return { [line.slice(0, equals)]: line.slice(equals + 1) }
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}
