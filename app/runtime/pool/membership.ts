import cluster from 'node:cluster'
import type { Socket } from 'node:net'

import type { GracefulServer } from '#http/graceful_server'
import { Intake } from './intake.js'
import type { Answers, Question, ToMember, ToPrimary } from './messages.js'

type Respond = { [Q in Question]: () => Promise<Answers[Q]> }

/**
 * The tie of a process to the pool that started it.
 */
export class Membership {
  /** Resolves when the primary is gone; what is under way can still be finished then. */
  readonly over: Promise<void>
  /** Where the processes that share the port find each other. */
  readonly folder = process.env.POOL_FOLDER

  constructor() {
    const worker = cluster.worker!
    this.over = new Promise((resolve) => {
      worker.once('disconnect', () => {
        // Without this, node:cluster ends the process on the spot.
        worker.exitedAfterDisconnect = true
        resolve()
      })
    })
  }

  /** Reports that this process works. Connections and questions come from then on. */
  start(respond: Respond, server?: GracefulServer): void {
    const intake = server && new Intake(server, send)
    process.on('message', (message: ToMember, socket?: Socket) => {
      if (message.type === 'connection') {
        intake?.take(socket, message.address)
      } else if (message.type === 'question') {
        void answer(message.id, respond[message.question])
      }
    })
    send({ type: 'ready' })
  }

  /** Leaves it to the primary to say why this process did not start. */
  fail(reason: string): Promise<void> {
    return new Promise((resolve) => send({ type: 'failed', reason }, resolve))
  }
}

/** Undefined in a process that no pool started. */
export const membership = cluster.isWorker ? new Membership() : undefined

async function answer(id: number, respond: () => Promise<Answers[Question]>): Promise<void> {
  try {
    send({ type: 'answer', id, answer: await respond() })
  } catch (error) {
    send({ type: 'unanswered', id, reason: (error as Error).message })
  }
}

function send(message: ToPrimary, sent = () => {}): void {
  if (process.connected) {
    process.send!(message, undefined, undefined, sent)
  } else {
    sent()
  }
}
