import cluster, { type Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { mock } from 'node:test'

import type { ToMember, ToPrimary } from '#runtime/pool/messages'
import type { FakeSocket } from './fake_socket.js'

/** A process of a pool that does only what a test says. */
export class FakeWorker extends EventEmitter {
  /** What the primary has sent to it, in order. */
  readonly messages: ToMember[] = []
  readonly signals: string[] = []
  /** The connections it was offered and has not acknowledged. */
  readonly offered: FakeSocket[] = []
  readonly process = { pid: 1, kill: (signal: string) => this.signals.push(signal) }
  #connections = 0

  send(message: ToMember, socket?: FakeSocket): void {
    this.messages.push(message)
    if (socket) {
      this.offered.push(socket)
    }
  }

  report(message: ToPrimary): void {
    this.emit('message', message)
  }

  /** Acknowledges the connection that was offered first. */
  take(isOpen = true): FakeSocket {
    this.#connections += isOpen ? 1 : 0
    const socket = this.offered.shift()!
    this.report({ type: 'took', connections: this.#connections, isOpen })
    return socket
  }

  /** Reports that connections from these addresses closed. */
  lose(...closed: string[]): void {
    this.#connections -= closed.length
    this.report({ type: 'has', connections: this.#connections, closed })
  }

  /** Ends, after its last message unless that is still to come. */
  exit(how: number | NodeJS.Signals, isSilent = true): void {
    this.emit('exit', how, typeof how === 'string' ? how : null)
    if (isSilent) {
      this.emit('disconnect')
    }
  }
}

/** Starts fake processes instead of real ones until the test ends; returns those that were started. */
export function useFakeWorkers(cleanup: (callback: () => void) => void): FakeWorker[] {
  const workers: FakeWorker[] = []
  const setup = mock.method(cluster, 'setupPrimary', () => {})
  const fork = mock.method(cluster, 'fork', () => {
    const worker = new FakeWorker()
    workers.push(worker)
    return worker as unknown as Worker
  })
  cleanup(() => [setup, fork].forEach((replaced) => replaced.mock.restore()))
  return workers
}
