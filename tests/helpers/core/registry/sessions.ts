import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

interface Session {
  readonly repository: string
  bytes: Buffer
  state: number
}

/** Uploads under way. Only the newest address of one is good. */
export class Sessions {
  readonly all = new Map<string, Session>()

  begin(repository: string): string {
    const id = randomUUID()
    this.all.set(id, { repository, bytes: Buffer.alloc(0), state: 0 })
    return id
  }

  /** Relative, as Harbor says it. */
  addressOf(id: string): string {
    const { repository, state } = this.all.get(id)!
    return `/v2/${repository}/blobs/uploads/${id}?_state=${state}`
  }

  find(id: string, state: string | null): Session | undefined {
    const session = this.all.get(id)
    return session && String(session.state) === state ? session : undefined
  }

  /** Takes in what arrives, also where it breaks off. */
  async take(session: Session, request: IncomingMessage): Promise<boolean> {
    const pieces: Buffer[] = []
    try {
      for await (const piece of request) {
        pieces.push(piece)
      }
      return true
    } catch {
      return false
    } finally {
      session.bytes = Buffer.concat([session.bytes, ...pieces])
    }
  }
}
