import cluster, { type Worker } from 'node:cluster'
import type { Socket } from 'node:net'

import type { GracefulServer } from '#http/graceful_server'
import { drain } from '#kernel/drain'
import { oncePer } from '#kernel/once_per'
import { Intake } from './intake.js'
import type { Answers, Question, ToMember, ToPrimary } from './messages.js'

type Respond = { [Q in Question]: () => Promise<Answers[Q]> }

/** The connection of a process to its pool. */
export class Membership {
  /** Resolves when the primary has ended; requests in progress can still finish. */
  readonly over: Promise<void>
  /** The folder in which the processes of the port find each other. */
  readonly folder = process.env.POOL_FOLDER

  constructor(worker: Worker) {
    this.over = new Promise((resolve) => {
      worker.once('disconnect', () => {
        // Without this, node:cluster ends the process immediately.
        worker.exitedAfterDisconnect = true
        resolve()
      })
    })
  }

  /** Reports that this process is ready; the primary then sends connections and questions. */
  start(respond: Respond, server?: GracefulServer): void {
    const intake = server && new Intake(server, send)
    process.on('message', (message: ToMember, socket?: Socket) => {
      if (message.type === 'connection') {
        intake?.take(socket, message.address)
      } else if (message.type === 'question') {
        void answer(message.id, respond[message.question])
      } else if (message.type === 'stopAnnounced') {
        void drain.announce(0)
      }
    })
    send({ type: 'ready' })
  }

  /** Reports to the primary why this process did not start. */
  fail(reason: string): Promise<void> {
    return new Promise((resolve) => send({ type: 'failed', reason }, resolve))
  }
}

const membershipOf = oncePer((worker: Worker) => new Membership(worker))

/** The membership of this process. Undefined outside of a pool. */
export const membership = (): Membership | undefined =>
  cluster.worker && membershipOf(cluster.worker)

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
