import type { Researcher } from '#tests/helpers/worker/researcher'
import { eventually } from '#tests/helpers/eventually'

type Fields = Record<string, any>

const LIMIT_MS = 60_000

/** Somebody who looks after the images of an installation. */
export class ImageKeeper {
  readonly #researcher: Researcher

  constructor(researcher: Researcher) {
    this.#researcher = researcher
  }

  /** Images by the paths by which they are known. */
  async images(): Promise<Map<string, Fields>> {
    const images: Fields[] = await this.#researcher.core('GET', '/master-images?page[limit]=50')
    return new Map(images.map((image) => [image.virtualPath, image]))
  }

  /** Has all images taken over, and waits until the images are those. */
  async synchronized(virtualPaths: readonly string[]): Promise<Map<string, Fields>> {
    const wanted = virtualPaths.toSorted().join()
    await this.#researcher.core('POST', '/master-images/command', { command: 'sync' })
    return eventually(async () => {
      const images = await this.images()
      return [...images.keys()].toSorted().join() === wanted && images
    }, LIMIT_MS)
  }

  async build(virtualPath: string): Promise<string> {
    const images = await this.images()
    const { id } = images.get(virtualPath)!
    await this.#researcher.core('POST', '/master-images/command', { command: 'build', id })
    return id
  }

  /** Has an image built, and waits for what becomes of it. */
  async built(virtualPath: string): Promise<Fields> {
    const id = await this.build(virtualPath)
    return eventually(async () => {
      const image = await this.#researcher.core('GET', `/master-images/${id}`)
      return ['executed', 'failed'].includes(image.buildStatus) && image
    }, LIMIT_MS)
  }

  /** What the worker says of its work with an image, once it says so much. */
  logged(labels: Readonly<Record<string, string>>, code: string): Promise<Fields> {
    const filters = Object.entries(labels).map(([name, value]) => `filter[labels.${name}]=${value}`)
    return eventually(async () => {
      const path = `/logs?${filters.join('&')}`
      const lines: Fields[] = await this.#researcher.request('telemetry', 'GET', path)
      return lines.find((line) => line.labels.code === code)
    })
  }

  /** Whether a line of the log about the images says something. */
  says(text: string): Promise<Fields> {
    return eventually(async () => {
      const path = '/logs?filter[labels.component]=masterImageSynchronizer'
      const lines: Fields[] = await this.#researcher.request('telemetry', 'GET', path)
      return lines.find(({ message }) => message.includes(text))
    })
  }
}
