import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const BEGINNING_BYTES = 300

/** A tagged manifest. */
interface Named {
  readonly repository: string
  readonly tag: string
  readonly digest: string
}

export interface Content {
  readonly config?: { readonly digest: string }
  readonly layers?: readonly { readonly digest: string }[]
  readonly manifests?: readonly { readonly digest: string }[]
  readonly payloadType?: string
  readonly architecture?: string
  readonly subject?: unknown
}

/** Reads an image store from disk, independent of the code that wrote it. */
export abstract class Disk {
  abstract named(): Promise<Named[]>
  /** Blob files by digest. */
  protected abstract blobs(): Promise<Map<string, string>>
  /** Leftovers of unfinished uploads. */
  abstract unfinished(): Promise<string[]>
  /** Removes all content. */
  abstract clear(): Promise<void>
  /** Whether a repository has a blob, if repositories do not share them. */
  protected async has(_repository: string, _digest: string): Promise<boolean> {
    return true
  }

  async manifest(digest: string): Promise<Content> {
    const blobs = await this.blobs()
    return contentIn(blobs.get(digest)!)
  }

  /** Missing, damaged and unreferenced blobs. */
  async problems(): Promise<string[]> {
    const blobs = await this.blobs()
    const problems: string[] = []
    for (const [digest, file] of blobs) {
      if (
        `sha256:${createHash('sha256')
          .update(await readFile(file))
          .digest('hex')}` !== digest
      ) {
        problems.push(`${file} has other bytes`)
      }
    }
    const needed = new Set<string>()
    for (const { repository, digest } of await this.named()) {
      for await (const [part, isBlob] of partsOf(blobs, digest)) {
        needed.add(part)
        if (!blobs.has(part) || (isBlob && !(await this.has(repository, part)))) {
          problems.push(`${repository} lacks ${part}`)
        }
      }
    }
    for (const [digest, file] of blobs) {
      if (!needed.has(digest) && !(await isOfAnAttempt(file))) {
        problems.push(`nobody needs ${digest}, which begins with ${await beginningOf(file)}`)
      }
    }
    return problems
  }
}

/** An OCI layout. */
export class FolderDisk extends Disk {
  constructor(readonly folder: string) {
    super()
  }

  async named(): Promise<Named[]> {
    const index = JSON.parse(await readFile(join(this.folder, 'index.json'), 'utf8'))
    return index.manifests.map(
      ({ digest, annotations }: { digest: string; annotations: Record<string, string> }) => {
        const name = annotations['org.opencontainers.image.ref.name']!
        const colon = name.lastIndexOf(':')
        return { digest, repository: name.slice(0, colon), tag: name.slice(colon + 1) }
      }
    )
  }

  async unfinished(): Promise<string[]> {
    return readdir(join(this.folder, 'drafts'))
  }

  async clear(): Promise<void> {
    await rm(this.folder, { recursive: true })
    await mkdir(this.folder)
  }

  protected async blobs(): Promise<Map<string, string>> {
    const folder = join(this.folder, 'blobs', 'sha256')
    const names = await readdir(folder)
    return new Map(names.map((name) => [`sha256:${name}`, join(folder, name)]))
  }
}

/** The storage of docker-registry. */
export class RegistryDisk extends Disk {
  readonly #folder: string

  constructor(serverFolder: string) {
    super()
    this.#folder = join(serverFolder, 'data', 'docker', 'registry', 'v2')
  }

  async named(): Promise<Named[]> {
    const links = await this.#files('repositories', /\/_manifests\/tags\/[^/]+\/current\/link$/)
    return Promise.all(
      links.map(async (link) => {
        const [, repository, tag] = /^(.+)\/_manifests\/tags\/([^/]+)\//.exec(link)!
        const file = join(this.#folder, 'repositories', link)
        return { repository: repository!, tag: tag!, digest: await readFile(file, 'utf8') }
      })
    )
  }

  /** Completed uploads leave a folder without this file. */
  async unfinished(): Promise<string[]> {
    return this.#files('repositories', /\/_uploads\/[^/]+\/startedat$/)
  }

  async clear(): Promise<void> {
    for (const part of ['repositories', 'blobs']) {
      await rm(join(this.#folder, part), { recursive: true, force: true })
    }
  }

  protected async blobs(): Promise<Map<string, string>> {
    const files = await this.#files('blobs', /\/data$/)
    return new Map(
      files.map((file) => [
        `sha256:${dirname(file).split('/').at(-1)}`,
        join(this.#folder, 'blobs', file),
      ])
    )
  }

  protected override async has(repository: string, digest: string): Promise<boolean> {
    const link = join(repository, '_layers', digest.replace(':', '/'), 'link')
    const found = await readFile(join(this.#folder, 'repositories', link), 'utf8').catch(() => '')
    return found === digest
  }

  async #files(part: string, pattern: RegExp): Promise<string[]> {
    const found = await readdir(join(this.#folder, part), { recursive: true }).catch(() => [])
    return found.filter((path) => pattern.test(`/${path}`))
  }
}

/** All parts of a manifest, recursively. Distinguishes blobs from manifests. */
async function* partsOf(
  blobs: ReadonlyMap<string, string>,
  digest: string
): AsyncGenerator<[digest: string, isBlob: boolean]> {
  yield [digest, false]
  const file = blobs.get(digest)
  const { config, layers = [], manifests = [] } = file ? await contentIn(file) : {}
  for (const blob of [...(config ? [config] : []), ...layers]) {
    yield [blob.digest, true]
  }
  for (const child of manifests) {
    yield* partsOf(blobs, child.digest)
  }
}

/**
 * Whether garbage collection would remove a blob: provenance and manifest of an attempt that crashed before attaching
 * them (build times differ on retry), or a referrers index replaced by a longer one.
 */
async function isOfAnAttempt(file: string): Promise<boolean> {
  const { payloadType, architecture, manifests, subject } = await contentIn(file)
  const isStatement = payloadType !== undefined || architecture === '' || subject !== undefined
  return isStatement || manifests !== undefined
}

async function beginningOf(file: string): Promise<string> {
  const bytes = await readFile(file)
  return JSON.stringify(bytes.toString('latin1', 0, BEGINNING_BYTES))
}

async function contentIn(file: string): Promise<Content> {
  const bytes = await readFile(file)
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return {}
  }
}
