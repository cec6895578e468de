import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Readable, Writable } from 'node:stream'

import { tryParseJson } from '#kernel/try_parse_json'
import { ContainerStartFailed } from '#node/errors'
import type { ContainerGroup } from '#node/containers/control_groups/container_group'
import type { ContainerFolder } from '#node/containers/run_folder'
import { hostsFile, RESOLVER_FILE } from '#node/containers/hosts_file'
import { exitOf } from '#node/containers/container_exit'
import { withoutInherited } from '#node/containers/inherited_descriptors'
import { LineSplitter } from '#node/containers/line_splitter'
import { SYSTEM_ENVIRONMENT } from '#node/containers/system_environment'
import { signalProcess } from '#node/containers/signal_process'
import { bpfProgram } from '#node/containers/seccomp/bpf_program'
import type { Container, ContainerExit, EndReport } from '#node/containers/container_driver'
import type { ResolvedSpec } from '#node/containers/resolve_spec'
import { startSidecar } from '#node/containers/start_sidecar'
import { OutputPipes } from '#node/sidecar/output_pipes'
import type { Sidecar } from '#node/sidecar/sidecar'
import { bubblewrapOptions, DESCRIPTORS } from './bubblewrap_arguments.js'
import { launchCommand, networkCommand, ROOT_MOUNT } from './launch_command.js'
import { childrenOf, isRunning } from '#node/containers/process_tree'
import { UsageWatch } from './usage_watch.js'

const POLL_MS = 5
const OWN_MESSAGE = /^bwrap: /

interface ProgramEnd {
  readonly code: number
  /** The limit that the kernel ended it for. */
  readonly reached: EndReport | undefined
}

interface ContainerParts {
  readonly bubblewrap: ChildProcess
  readonly sidecar: Sidecar
  readonly group: ContainerGroup | undefined
}

/** A running container: Bubblewrap outside of it, its init process, and the program as the child of that. */
export class BubblewrapContainer implements Container {
  readonly exited: Promise<ContainerExit>
  readonly #bubblewrap: ChildProcess
  readonly #init: number
  #report: EndReport | undefined

  static async start(
    spec: ResolvedSpec,
    folder: ContainerFolder,
    group: ContainerGroup | undefined
  ): Promise<BubblewrapContainer> {
    const outputs = await OutputPipes.open(dirname(spec.gatewaySocket))
    let sidecar: Sidecar | undefined
    try {
      sidecar = await startSidecar(networkCommand(spec.rootPath), spec, outputs)
      const bubblewrap = launch(spec, sidecar, outputs, group)
      outputs.close()
      return await BubblewrapContainer.#started(spec, folder, { bubblewrap, sidecar, group })
    } catch (error) {
      await sidecar?.close()
      throw error
    } finally {
      outputs.close()
    }
  }

  /** Waits until the program runs, or has ended already. */
  static async #started(
    spec: ResolvedSpec,
    folder: ContainerFolder,
    { bubblewrap, sidecar, group }: ContainerParts
  ): Promise<BubblewrapContainer> {
    const initPid = initOf(bubblewrap)
    const ended = Promise.all([exitCode(bubblewrap, initPid), sidecar.outputEnded])
    const init = await initPid
    const hasStarted = init !== undefined && (await hasProgram(init, bubblewrap))
    if (!hasStarted) {
      const [code] = await ended
      const { lastLine } = sidecar
      if (init === undefined || OWN_MESSAGE.test(lastLine)) {
        throw new ContainerStartFailed(
          `Bubblewrap could not start the container: ${lastLine || `it ended with ${code}`}`
        )
      }
    }
    const end = async () => {
      const [code] = await ended
      const reached = code === 0 ? undefined : group?.reachedLimit(spec.limits)
      await sidecar.close()
      await group?.remove()
      await folder.remove()
      return { code, reached }
    }
    return new BubblewrapContainer(spec, { bubblewrap, sidecar, group }, init!, end())
  }

  private constructor(
    spec: ResolvedSpec,
    { bubblewrap, sidecar, group }: ContainerParts,
    init: number,
    ended: Promise<ProgramEnd>
  ) {
    this.#bubblewrap = bubblewrap
    this.#init = init
    const watch = new UsageWatch(init, spec, group, (report) => this.#end(report))
    void sidecar.ended.then(() =>
      this.#end({ reason: 'gateway', message: 'Its way to the gateway ended' })
    )
    this.exited = ended.then(({ code, reached }) => {
      watch.stop()
      return exitOf(code, this.#report ?? reached)
    })
  }

  async stop(graceMs: number): Promise<ContainerExit> {
    if (this.#isRunning) {
      this.#report ??= { reason: 'stopped', message: 'It was stopped' }
      childrenOf(this.#init).forEach((pid) => signalProcess(pid, 'SIGTERM'))
      const timer = setTimeout(() => this.#kill(), graceMs)
      await this.exited
      clearTimeout(timer)
    }
    return this.exited
  }

  get #isRunning(): boolean {
    return this.#bubblewrap.exitCode === null && this.#bubblewrap.signalCode === null
  }

  #end(report: EndReport): void {
    if (this.#isRunning) {
      this.#report ??= report
      this.#kill()
    }
  }

  /** The kernel ends all processes of a container with its init process. */
  #kill(): void {
    signalProcess(this.#init, 'SIGKILL')
  }
}

/** The options are in pipes, and the environment is that of the container only within it. */
function launch(
  spec: ResolvedSpec,
  sidecar: Sidecar,
  outputs: OutputPipes,
  group: ContainerGroup | undefined
): ChildProcess {
  const rootPath = process.getuid?.() === 0 ? ROOT_MOUNT : spec.rootPath
  const [file, ...args] = [
    ...(group?.enterCommand() ?? []),
    ...launchCommand(sidecar.pid, spec.limits),
    ...['bwrap', '--args', String(DESCRIPTORS.options), '--seccomp', String(DESCRIPTORS.filter)],
    ...['--json-status-fd', String(DESCRIPTORS.status), '--', ...spec.command],
  ]
  const pipes = ['pipe', 'pipe', 'pipe', 'pipe', 'pipe']
  const bubblewrap = spawn(file!, args, {
    cwd: '/',
    env: SYSTEM_ENVIRONMENT,
    stdio: withoutInherited(['ignore', ...outputs.sinks, ...pipes]),
    detached: true,
  })
  const contents = {
    [DESCRIPTORS.options]: bubblewrapOptions(spec, rootPath).join('\0'),
    [DESCRIPTORS.filter]: bpfProgram(),
    [DESCRIPTORS.hosts]: hostsFile(spec),
    [DESCRIPTORS.resolver]: RESOLVER_FILE,
  }
  for (const [descriptor, content] of Object.entries(contents)) {
    const pipe = bubblewrap.stdio[Number(descriptor)] as Writable
    // Bubblewrap ended before it read everything; its exit code says so.
    pipe.on('error', () => {})
    pipe.end(content)
  }
  return bubblewrap
}

/** The init process is gone when Bubblewrap is, or a moment later. */
async function exitCode(
  bubblewrap: ChildProcess,
  init: Promise<number | undefined>
): Promise<number> {
  const [code] = await once(bubblewrap, 'exit')
  for (let pid = await init; pid !== undefined && isRunning(pid);) {
    await delay(POLL_MS)
  }
  return code ?? 128 + 9
}

/** Bubblewrap reports the process id of the init process; undefined if it ends before. */
function initOf(bubblewrap: ChildProcess): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>()
  const lines = new LineSplitter((line) => {
    const status = tryParseJson(line) as { readonly 'child-pid'?: number } | undefined
    if (status?.['child-pid'] !== undefined) {
      resolve(status['child-pid'])
    }
  })
  const pipe = bubblewrap.stdio[DESCRIPTORS.status] as Readable
  pipe.on('data', (chunk: Buffer) => lines.write(chunk))
  pipe.on('close', () => resolve(undefined))
  return promise
}

/** The init process starts the program when everything is mounted. Its child is Bubblewrap until it becomes the program. */
async function hasProgram(init: number, bubblewrap: ChildProcess): Promise<boolean> {
  const ofBubblewrap = commandLineOf(init)
  while (bubblewrap.exitCode === null && bubblewrap.signalCode === null) {
    const lines = childrenOf(init).map(commandLineOf)
    if (lines.some((line) => line !== '' && line !== ofBubblewrap)) {
      return true
    }
    await delay(POLL_MS)
  }
  return false
}

/** Empty if the process has ended. */
function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
