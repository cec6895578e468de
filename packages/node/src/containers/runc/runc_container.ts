import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

import { ContainerStartFailed } from '#node/errors'
import { foldersOf, reachedLimit } from '#node/containers/control_groups/group_folders'
import { exitOf } from '#node/containers/container_exit'
import { hostsFile, RESOLVER_FILE } from '#node/containers/hosts_file'
import { withoutInherited } from '#node/containers/inherited_descriptors'
import type { ContainerFolder } from '#node/containers/run_folder'
import { signalProcess } from '#node/containers/signal_process'
import { SYSTEM_ENVIRONMENT } from '#node/containers/system_environment'
import type { Container, ContainerExit, EndReport } from '#node/containers/container_driver'
import type { ResolvedSpec } from '#node/containers/resolve_spec'
import { startSidecar } from '#node/containers/start_sidecar'
import { OutputPipes } from '#node/sidecar/output_pipes'
import type { Sidecar } from '#node/sidecar/sidecar'
import { BUNDLE_FILES, bundleConfig } from './bundle.js'
import type { PidNamespace } from './pid_namespace.js'

const run = promisify(execFile)
const POLL_MS = 5
const WATCH_INTERVAL_MS = 50

export interface RuncDependencies {
  readonly statePath: string
  readonly folder: ContainerFolder
  readonly namespace: PidNamespace
}

/** What is started around a container, and ends with it. */
interface ContainerParts {
  readonly runc: ChildProcess
  readonly pid: number
  readonly sidecar: Sidecar
}

/** A container that `runc run` waits for. Its control group stays until its counters were read. */
export class RuncContainer implements Container {
  readonly exited: Promise<ContainerExit>
  readonly #spec: ResolvedSpec
  readonly #dependencies: RuncDependencies
  readonly #parts: ContainerParts
  readonly #group: string
  #report: EndReport | undefined

  static async start(spec: ResolvedSpec, dependencies: RuncDependencies): Promise<RuncContainer> {
    const outputs = await OutputPipes.open(dirname(spec.gatewaySocket))
    try {
      await writeBundle(spec, dependencies)
      const runc = launch(dependencies, outputs)
      const { pid, sidecar } = await connect(spec, dependencies, { runc, outputs })
      return new RuncContainer(spec, dependencies, { runc, pid, sidecar })
    } finally {
      outputs.close()
    }
  }

  private constructor(spec: ResolvedSpec, dependencies: RuncDependencies, parts: ContainerParts) {
    this.#spec = spec
    this.#dependencies = dependencies
    this.#parts = parts
    this.#group = groupOf(spec, dependencies)
    const watch = setInterval(() => this.#checkLimits(), WATCH_INTERVAL_MS).unref()
    void parts.sidecar.ended.then(() =>
      this.#end({ reason: 'gateway', message: 'Its way to the gateway ended' })
    )
    this.exited = this.#finish().finally(() => clearInterval(watch))
  }

  async stop(graceMs: number): Promise<ContainerExit> {
    if (this.#isRunning) {
      this.#report ??= { reason: 'stopped', message: 'It was stopped' }
      signalProcess(this.#parts.pid, 'SIGTERM')
      const timer = setTimeout(() => this.#kill(), graceMs)
      await this.exited
      clearTimeout(timer)
    }
    return this.exited
  }

  get #isRunning(): boolean {
    const { runc } = this.#parts
    return runc.exitCode === null && runc.signalCode === null
  }

  async #finish(): Promise<ContainerExit> {
    const { runc, sidecar } = this.#parts
    const { folder, namespace, statePath } = this.#dependencies
    const code = await exitCode(runc)
    const report = this.#report ?? (code === 0 ? undefined : this.#reachedLimit())
    await namespace.end()
    await sidecar.outputEnded
    await deleteContainer(statePath, basename(folder.path))
    await sidecar.close()
    await folder.remove()
    return exitOf(code, report)
  }

  #checkLimits(): void {
    const report = this.#isRunning ? this.#reachedLimit() : undefined
    if (report) {
      this.#end(report)
    }
  }

  #reachedLimit(): EndReport | undefined {
    return reachedLimit(foldersOf(this.#group), this.#spec.limits)
  }

  #end(report: EndReport): void {
    if (this.#isRunning) {
      this.#report ??= report
      this.#kill()
    }
  }

  /** The program goes with the init process of its namespace. */
  #kill(): void {
    void this.#dependencies.namespace.end()
  }
}

/** Ends a container and removes its control group. Does nothing if runc does not know it. */
export async function deleteContainer(statePath: string, id: string): Promise<void> {
  await run('runc', ['--root', statePath, 'delete', '--force', id], { env: SYSTEM_ENVIRONMENT })
}

/** Named after the container, so that an administrator finds it. */
const groupOf = ({ name }: ResolvedSpec, { folder }: RuncDependencies): string =>
  `hub-node-${name.replace(/[^\w-]/g, '')}-${basename(folder.path)}`

/** The bundle holds the variables of the container: only this account can read it, and it is removed with the container. */
async function writeBundle(spec: ResolvedSpec, dependencies: RuncDependencies): Promise<void> {
  const { folder, namespace } = dependencies
  const config = bundleConfig(spec, {
    folder: folder.path,
    group: groupOf(spec, dependencies),
    initPid: namespace.initPid,
  })
  await writeFile(join(folder.path, 'config.json'), JSON.stringify(config), { mode: 0o600 })
  await writeFile(join(folder.path, BUNDLE_FILES.hosts), hostsFile(spec))
  await writeFile(join(folder.path, BUNDLE_FILES.resolver), RESOLVER_FILE)
}

function launch(
  { statePath, folder: { path } }: RuncDependencies,
  outputs: OutputPipes
): ChildProcess {
  const log = ['--log', join(path, BUNDLE_FILES.log), '--log-format', 'json']
  return spawn(
    'runc',
    ['--root', statePath, ...log, 'run', '--keep', '--bundle', path, basename(path)],
    {
      cwd: '/',
      env: SYSTEM_ENVIRONMENT,
      stdio: withoutInherited(['ignore', ...outputs.sinks]),
      detached: true,
    }
  )
}

interface LaunchedContainer {
  readonly runc: ChildProcess
  readonly outputs: OutputPipes
}

/** Starts the sidecar as soon as the network exists, and returns when the program was started in it. */
async function connect(
  spec: ResolvedSpec,
  { folder: { path } }: RuncDependencies,
  { runc, outputs }: LaunchedContainer
): Promise<{ pid: number; sidecar: Sidecar }> {
  const state = await hookFile(path, BUNDLE_FILES.created, runc)
  const { pid } = JSON.parse(state) as { readonly pid: number }
  const network = ['nsenter', '--target', String(pid), '--net', '--']
  const sidecar = await startSidecar(network, spec, outputs)
  try {
    await writeFile(join(path, BUNDLE_FILES.connected), '')
    await hookFile(path, BUNDLE_FILES.started, runc)
    return { pid, sidecar }
  } catch (error) {
    await sidecar.close()
    throw error
  }
}

async function exitCode(runc: ChildProcess): Promise<number> {
  if (runc.exitCode === null && runc.signalCode === null) {
    await once(runc, 'exit')
  }
  return runc.exitCode ?? 128 + 9
}

/** What a hook wrote, as soon as it did. */
async function hookFile(folder: string, name: string, runc: ChildProcess): Promise<string> {
  for (;;) {
    const hasEnded = runc.exitCode !== null || runc.signalCode !== null
    const text = await readFile(join(folder, name), 'utf8').catch(() => undefined)
    if (text !== undefined) {
      return text
    }
    if (hasEnded) {
      throw new ContainerStartFailed(
        `runc could not start the container: ${await lastError(folder)}`
      )
    }
    await delay(POLL_MS)
  }
}

async function lastError(folder: string): Promise<string> {
  const log = await readFile(join(folder, BUNDLE_FILES.log), 'utf8').catch(() => '')
  const line = log.trim().split('\n').at(-1) ?? ''
  return /"msg":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? 'it ended'
}
