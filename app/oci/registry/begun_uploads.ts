import type { ExpectedBlobs } from '#oci/image_store'
import type { RegistryClient } from './registry_client.js'
import { UploadSession } from './upload_session.js'

type Beginning = Promise<UploadSession>

/** Uploads that are begun before what they carry is there, since registries take their time for that. */
export class BegunUploads {
  readonly #client: RegistryClient
  readonly #waiting = new Map<string, Set<Beginning>>()

  constructor(client: RegistryClient) {
    this.#client = client
  }

  /** One that waits for bytes, or else a new one. */
  next(repository: string): Beginning {
    const waiting = this.#waiting.get(repository)
    const [session] = waiting ?? []
    if (session) {
      waiting!.delete(session)
    }
    return session ?? this.#begin(repository)
  }

  expect(repository: string, count: number): ExpectedBlobs {
    const waiting = this.#waiting.get(repository) ?? new Set()
    this.#waiting.set(repository, waiting)
    const own = Array.from({ length: count }, () => this.#begin(repository))
    own.forEach((session) => waiting.add(session))
    return {
      release: async () => {
        await Promise.all(own.filter((session) => waiting.delete(session)).map(cancelled))
        if (waiting.size === 0) {
          this.#waiting.delete(repository)
        }
      },
    }
  }

  /** Why one could not be begun is told to whoever has bytes for it. */
  #begin(repository: string): Beginning {
    const session = UploadSession.begin(this.#client, repository)
    session.catch(() => {})
    return session
  }
}

/** Takes an upload back; one that could not even be begun is none. */
export async function cancelled(beginning: Beginning | undefined): Promise<void> {
  const session = await beginning?.catch(() => undefined)
  await session?.cancel()
}
