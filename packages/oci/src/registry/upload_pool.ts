import type { PreparedUploads } from '#oci/image_store'
import type { RegistryClient } from './registry_client.js'
import { UploadSession } from './upload_session.js'

type PendingSession = Promise<UploadSession>

/** Sessions started ahead of their content, because registries are slow to start them. */
export class UploadPool {
  readonly #client: RegistryClient
  readonly #idle = new Map<string, Set<PendingSession>>()

  constructor(client: RegistryClient) {
    this.#client = client
  }

  /** Takes a prepared session or starts one. */
  acquire(repository: string): PendingSession {
    const idle = this.#idle.get(repository)
    const [session] = idle ?? []
    if (session) {
      idle!.delete(session)
    }
    return session ?? this.#start(repository)
  }

  prepare(repository: string, count: number): PreparedUploads {
    const idle = this.#idle.get(repository) ?? new Set()
    this.#idle.set(repository, idle)
    const own = Array.from({ length: count }, () => this.#start(repository))
    own.forEach((session) => idle.add(session))
    return {
      release: async () => {
        await Promise.all(own.filter((session) => idle.delete(session)).map(cancelPending))
        if (idle.size === 0) {
          this.#idle.delete(repository)
        }
      },
    }
  }

  /** The rejection is handled by the caller that uses the session. */
  #start(repository: string): PendingSession {
    const session = UploadSession.start(this.#client, repository)
    session.catch(() => {})
    return session
  }
}

/** Cancels a session, if it was started at all. */
export async function cancelPending(pending: PendingSession | undefined): Promise<void> {
  const session = await pending?.catch(() => undefined)
  await session?.cancel()
}
