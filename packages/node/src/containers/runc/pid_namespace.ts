import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

import { ContainerStartFailed } from '#node/errors'
import { childrenOf, procFile } from '#node/containers/process_tree'
import { signalProcess } from '#node/containers/signal_process'
import { SYSTEM_ENVIRONMENT } from '#node/containers/system_environment'
import { withoutInherited } from '#node/containers/inherited_descriptors'

const POLL_MS = 5
/** A process that ignores SIGCHLD has the kernel reap its children: orphans of the container. */
const INIT = 'trap "" CHLD; exec sleep infinity'

/**
 * A process namespace with an init process that does nothing. As the first process of a namespace, a program would ignore
 * signals that it does not handle. When the init process ends, the kernel ends the rest.
 */
export class PidNamespace {
  readonly #exited: Promise<unknown>
  #isAlive = true
  readonly initPid: number

  static async create(): Promise<PidNamespace> {
    const holder = spawn(
      'setpriv',
      ['--pdeathsig', 'KILL', 'unshare', '--pid', '--fork', '--kill-child', 'sh', '-c', INIT],
      {
        cwd: '/',
        env: SYSTEM_ENVIRONMENT,
        stdio: withoutInherited(['ignore', 'ignore', 'ignore']),
        detached: true,
      }
    )
    const failed = once(holder, 'error').then(([error]) => Promise.reject(error))
    failed.catch(() => {})
    return new PidNamespace(holder, await Promise.race([initOf(holder), failed]))
  }

  private constructor(holder: ChildProcess, initPid: number) {
    this.#exited = once(holder, 'exit')
    this.initPid = initPid
  }

  /** Ends all processes of the namespace. */
  end(): Promise<unknown> {
    if (this.#isAlive) {
      // Once only: the number may be that of another process afterwards.
      this.#isAlive = false
      signalProcess(this.initPid, 'SIGKILL')
    }
    return this.#exited
  }
}

async function initOf(holder: ChildProcess): Promise<number> {
  while (holder.exitCode === null) {
    const [pid] = holder.pid === undefined ? [] : childrenOf(holder.pid)
    if (pid !== undefined && procFile(`${pid}/comm`).trim() === 'sleep') {
      return pid
    }
    await delay(POLL_MS)
  }
  throw new ContainerStartFailed('A process namespace could not be made: only root may use runc')
}
