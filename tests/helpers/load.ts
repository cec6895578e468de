import { Agent, get } from 'node:http'
import { realTime } from './real_time.js'

export interface Lost {
  /** The port on the client's side, which names the connection. */
  port: number | undefined
  /** Milliseconds since the load began. */
  at: number
  reason: string
}

export interface Outcome {
  answered: number
  lost: Lost[]
  /** The most milliseconds an answer took. */
  slowest: number
}

const PAUSE_MS = 5
/** So long a pool keeps a connection that no process can take. */
const ANSWER_LIMIT_MS = 30_000

/**
 * Clients that each keep one connection and ask for the same page over and over. A request counts as answered with
 * status 200, and as lost with anything else, or without an answer.
 */
export class Load {
  readonly #url: string
  readonly #outcome: Outcome = { answered: 0, lost: [], slowest: 0 }
  readonly #startedAt = performance.now()
  readonly #clients: Promise<void>[]
  #isOver = false

  constructor(url: string, connections = 16) {
    this.#url = url
    this.#clients = Array.from({ length: connections }, () => this.#client())
  }

  get answered(): number {
    return this.#outcome.answered
  }

  /** Lets the requests under way end. */
  async stop(): Promise<Outcome> {
    this.#isOver = true
    await Promise.all(this.#clients)
    return this.#outcome
  }

  async #client(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!this.#isOver) {
      await this.#request(agent)
      await realTime(PAUSE_MS, 'clients have a pace of their own')
    }
    agent.destroy()
  }

  #request(agent: Agent): Promise<void> {
    const startedAt = performance.now()
    return new Promise((resolve) => {
      let port: number | undefined
      const lose = (reason: string) => {
        this.#outcome.lost.push({ port, at: Math.round(startedAt - this.#startedAt), reason })
        resolve()
      }
      const request = get(this.#url, { agent, timeout: ANSWER_LIMIT_MS }, (response) => {
        response.resume().once('end', () => {
          if (response.statusCode !== 200) {
            return lose(`status ${response.statusCode}`)
          }
          this.#outcome.answered++
          this.#outcome.slowest = Math.max(this.#outcome.slowest, performance.now() - startedAt)
          resolve()
        })
        response.once('error', (error) => lose(error.message))
      })
      request.once('socket', (socket) => {
        port = socket.localPort
        if (socket.connecting) {
          socket.once('connect', () => (port = socket.localPort))
        }
      })
      request.once('timeout', () => request.destroy(new Error('no answer')))
      request.once('error', (error) => lose(error.message))
    })
  }
}
