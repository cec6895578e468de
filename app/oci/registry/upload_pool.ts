import type { PreparedUploads } from '#oci/image_store'
import type { RegistryClient } from './registry_client.js'
import { UploadSession } from './upload_session.js'

type PendingSession = Promise<UploadSession>

/** Uploads that are begun before what they carry is there, since registries take their time for that. */
export class UploadPool {
  readonly #client: RegistryClient
  readonly #idle = new Map<string, Set<PendingSession>>()

  constructor(client: RegistryClient) {
    this.#client = client
  }

  /** One that waits for bytes, or else a new one. */
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

  /** Why one could not be begun is told to whoever has bytes for it. */
  #start(repository: string): PendingSession {
    const session = UploadSession.start(this.#client, repository)
    session.catch(() => {})
    return session
  }
}

/** Takes an upload back; one that could not even be begun is none. */
export async function cancelPending(pending: PendingSession | undefined): Promise<void> {
  const session = await pending?.catch(() => undefined)
  await session?.cancel()
}
