import cluster, { type Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

import config from '#config/pool'
import { ConnectionCount } from '#http/connection_limit'
import { StartFailure } from '#kernel/start_failure'
import type { Answers, Question, ToMember, ToPrimary } from './messages.js'

export interface Program {
  /** The name of the process in the pool and in the process list. */
  readonly name: string
  readonly file: string
  readonly environment: NodeJS.ProcessEnv
  readonly startLimitMs: number
}

type PendingAnswer = Pick<PromiseWithResolvers<never>, 'resolve' | 'reject'>

/** Longer than the time limit of health checks in a member. */
const ANSWER_LIMIT_MS = 3_000

const FLUSH_MS = 100

/** One process of a pool, as seen by the primary. */
export class Member {
  readonly startedAt = performance.now()
  /** Resolves when the process is ready; rejects with the reason if its start fails. */
  readonly ready: Promise<void>
  /** How the process ended, as a phrase after its name. */
  readonly ended: Promise<string>
  readonly #worker: Worker
  readonly #pending = new Map<number, PendingAnswer>()
  readonly #offered: Socket[] = []
  readonly #count = new ConnectionCount()
  #connections = 0
  #lastId = 0

  private constructor({ name, startLimitMs }: Program, worker: Worker) {
    const ready = Promise.withResolvers<void>()
    this.#worker = worker
    this.ended = waitForExit(worker)
    this.ready = ready.promise
    worker.on('message', (message: ToPrimary) => this.#receive(message, ready))
    const limit = setTimeout(() => {
      ready.reject(new StartFailure(`${name} was not ready after ${startLimitMs / 1000} s.`))
      this.kill()
    }, startLimitMs)
    void this.ended.then((how) =>
      ready.reject(new StartFailure(`${name} ${how} while it started.`))
    )
    void this.ended.then((how) => this.#pending.forEach(({ reject }) => reject(new Error(how))))
    void ready.promise.catch(() => {}).finally(() => clearTimeout(limit))
  }

  static start(program: Program): Member {
    const { name, file, environment } = program
    cluster.setupPrimary({ exec: file, args: [name], serialization: 'advanced' })
    return new Member(program, cluster.fork(environment))
  }

  get pid(): number | undefined {
    return this.#worker.process.pid
  }

  /** The connections it reported, plus those offered to it. */
  get load(): number {
    return this.#connections + this.#offered.length
  }

  /** As `load`, from one address. */
  loadFrom(address: string): number {
    return this.#count.from(address)
  }

  /** Offers a connection, which stays open here until it is acknowledged. */
  offer(socket: Socket): void {
    const address = addressOf(socket)
    this.#offered.push(socket)
    this.#count.add(address)
    this.#send({ type: 'connection', address }, socket)
  }

  /** The connections that were never acknowledged; for use after the process ended. */
  takeUndelivered(): Socket[] {
    return this.#offered.splice(0).filter((socket) => !socket.destroyed)
  }

  request<Q extends Question>(question: Q): Promise<Answers[Q]> {
    const id = ++this.#lastId
    const { promise, ...pending } = Promise.withResolvers<Answers[Q]>()
    const limit = setTimeout(() => pending.reject(new Error('does not answer')), ANSWER_LIMIT_MS)
    this.#pending.set(id, pending)
    this.#send({ type: 'question', id, question })
    return promise.finally(() => {
      clearTimeout(limit)
      this.#pending.delete(id)
    })
  }

  /** Lets the process fail its readiness. It continues until `stop`. */
  announceStop(): void {
    this.#send({ type: 'stopAnnounced' })
  }

  /** Drains the process within a time limit; resolves when it has ended. */
  async stop(): Promise<void> {
    this.#worker.process.kill('SIGTERM')
    const limit = setTimeout(() => this.kill(), config.stopLimitMs)
    await this.ended
    clearTimeout(limit)
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }

  #receive(message: ToPrimary, ready: PromiseWithResolvers<void>): void {
    switch (message.type) {
      case 'ready':
        return ready.resolve()
      case 'failed':
        return ready.reject(new StartFailure(message.reason))
      case 'took':
        this.#connections = message.connections
        this.#taken(this.#offered.shift(), message.isOpen)
        return
      case 'has':
        this.#connections = message.connections
        message.closed.forEach((address) => this.#count.remove(address))
        return
      case 'answer':
        return this.#pending.get(message.id)?.resolve(message.answer as never)
      case 'unanswered':
        return this.#pending.get(message.id)?.reject(new Error(message.reason))
    }
  }

  #taken(socket: Socket | undefined, isOpen: boolean): void {
    if (socket && !isOpen) {
      this.#count.remove(addressOf(socket))
    }
    socket?.destroy()
  }

  /** Send errors are ignored: the process is about to end, which is handled elsewhere. */
  #send(message: ToMember, socket?: Socket): void {
    this.#worker.send(message, socket, { keepOpen: true }, () => {})
  }
}

const addresses = new WeakMap<Socket, string>()

/** The remote address of a connection, cached since it is unknown after the connection closes. */
export function addressOf(socket: Socket): string {
  const address = addresses.get(socket) ?? socket.remoteAddress ?? ''
  addresses.set(socket, address)
  return address
}

async function waitForExit(worker: Worker): Promise<string> {
  const exit = new Promise<string>((resolve) => {
    worker.once('exit', (code: number, signal: string | null) => {
      resolve(signal ? `was ended by ${signal}` : `ended with exit code ${code}`)
    })
  })
  const silence = new Promise((resolve) => worker.once('disconnect', resolve))
  const absence = new Promise<string>((resolve) => {
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) {
        resolve(`could not be started (${error.message})`)
      }
    })
  })
  const how = await Promise.race([absence, exit])
  // Its last message may arrive after the exit. Node waits forever for an unacknowledged connection, hence the limit.
  await Promise.race([silence, delay(FLUSH_MS)])
  return how
}
