import { randomUUID } from 'node:crypto'
import { join } from 'node:path'

import pg from 'pg'

import { locateEmbeddedPostgres } from '#embedded/locate'
import { eventually } from '#tests/helpers/eventually'
import { realTime } from '#tests/helpers/real_time'

const SOON_MS = 60_000

type Fields = Record<string, any>

/** A user with all permissions, who works like the existing clients. */
export class Researcher {
  /** Headers that every request has besides. */
  headers: Readonly<Record<string, string>> = {}
  readonly #origin: string
  readonly #password: string
  #token = ''

  static async at(origin: string, password = 'start123'): Promise<Researcher> {
    const researcher = new Researcher(origin, password)
    await researcher.#signIn()
    return researcher
  }

  private constructor(origin: string, password: string) {
    this.#origin = origin
    this.#password = password
  }

  async core(method: string, path: string, body?: object): Promise<any> {
    return this.request('core', method, path, {
      ...(body && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })
  }

  async request(
    service: string,
    method: string,
    path: string,
    init: RequestInit = {}
  ): Promise<any> {
    const send = () => {
      const headers = { ...this.headers, ...init.headers, authorization: `Bearer ${this.#token}` }
      return fetch(`${this.#origin}/${service}${path}`, { ...init, method, headers })
    }
    let response = await send()
    if (response.status === 401) {
      await response.body?.cancel()
      await this.#signIn()
      response = await send()
    }
    const text = await response.text()
    if (response.status >= 300) {
      throw new Error(`${method} ${path}: ${response.status} ${text}`)
    }
    const content = text === '' ? undefined : JSON.parse(text)
    return content?.data ?? content
  }

  /** Creates a project with two nodes, optionally each with a registry. */
  async project(registryIds: readonly string[] = []): Promise<Fields> {
    const project = await this.core('POST', '/projects', { name: `study-${randomUUID()}` })
    const nodes = await Promise.all(
      ['default', 'aggregator'].map(async (type, n) => {
        const node = await this.core('POST', '/nodes', {
          name: `node-${randomUUID()}`,
          type,
          ...(registryIds[n] && { registryId: registryIds[n] }),
        })
        await this.core('POST', '/project-nodes', { projectId: project.id, nodeId: node.id })
        return node
      })
    )
    return { ...project, nodes }
  }

  /** Creates an analysis with buckets and files, ready to be locked. The first file is the entrypoint. */
  async analysis(
    project: Fields,
    masterImageId: string,
    files: Readonly<Record<string, string>>,
    more: Fields = {}
  ): Promise<string> {
    const { id } = await this.core('POST', '/analyses', {
      name: `analysis-${randomUUID()}`,
      projectId: project.id,
      masterImageId,
      ...more,
    })
    for (const node of project.nodes) {
      await this.core('POST', '/analysis-nodes', { analysisId: id, nodeId: node.id })
    }
    const code = await this.codeBucket(id)
    await this.upload(code.bucketId, files)
    const [entrypoint] = Object.keys(files)
    const file = await this.#known(code.id, Object.keys(files).length, entrypoint!)
    await this.core('POST', `/analysis-bucket-files/${file.id}`, { root: true })
    return id
  }

  codeBucket(analysisId: string): Promise<Fields> {
    return eventually(async () => {
      const path = `/analysis-buckets?filter[analysisId]=${analysisId}&filter[type]=CODE`
      const [bucket] = await this.core('GET', path)
      return bucket
    }, SOON_MS)
  }

  async upload(bucketId: string, files: Readonly<Record<string, string>>): Promise<void> {
    const form = new FormData()
    for (const [name, text] of Object.entries(files)) {
      form.append(name, new Blob([text]), name)
    }
    await this.request('storage', 'POST', `/buckets/${bucketId}/upload`, { body: form })
  }

  /** Creates a registry and waits for its projects, without which builds go elsewhere. */
  async enterRegistry(registry: Fields): Promise<string> {
    const { id } = await this.core('POST', '/registries', registry)
    await this.core('POST', '/services/registry/command', { command: 'setup', id })
    await eventually(async () => {
      const projects = await this.core('GET', `/registry-projects?filter[registryId]=${id}`)
      const made = projects.filter(
        (project: Fields) => project.externalId !== null || !registry.accountName
      )
      return made.length >= 3
    })
    return id
  }

  /** Approves an analysis for all its nodes. */
  async approve(analysisId: string): Promise<void> {
    const parts = await this.core('GET', `/analysis-nodes?filter[analysisId]=${analysisId}`)
    for (const { id } of parts) {
      await this.core('POST', `/analysis-nodes/${id}`, { approvalStatus: 'approved' })
    }
  }

  command(analysisId: string, command: string): Promise<any> {
    return this.core('POST', `/analyses/${analysisId}/command`, { command })
  }

  async lockAndBuild(analysisId: string): Promise<void> {
    await this.command(analysisId, 'configurationLock')
    await this.command(analysisId, 'buildStart')
  }

  /** Waits for one of the given build statuses. */
  built(analysisId: string, statuses = ['executed', 'failed'], limitMs = SOON_MS): Promise<Fields> {
    return this.#become(analysisId, 'buildStatus', statuses, limitMs)
  }

  /** Waits for one of the given distribution statuses. */
  distributed(
    analysisId: string,
    statuses = ['executed', 'failed'],
    limitMs = SOON_MS
  ): Promise<Fields> {
    return this.#become(analysisId, 'distributionStatus', statuses, limitMs)
  }

  async #signIn(): Promise<void> {
    const response = await fetch(`${this.#origin}/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'password',
        username: 'admin',
        password: this.#password,
      }),
    })
    const { access_token: token } = (await response.json()) as { access_token: string }
    this.#token = token
  }

  #become(analysisId: string, what: string, statuses: readonly string[], limitMs: number) {
    return eventually(async () => {
      const analysis = await this.core('GET', `/analyses/${analysisId}`)
      return statuses.includes(analysis[what]) && analysis
    }, limitMs)
  }

  /** Waits until core lists all files, and returns the entrypoint. */
  async #known(analysisBucketId: string, count: number, entrypoint: string): Promise<Fields> {
    const path = `/analysis-bucket-files?filter[analysisBucketId]=${analysisBucketId}`
    await eventually(
      async () => {
        await realTime(count, 'long lists take core long')
        const last = await this.core('GET', `${path}&page[offset]=${count - 1}`)
        return last.length > 0
      },
      SOON_MS + 200 * count
    )
    const [file] = await this.core('GET', `${path}&filter[path]=${entrypoint}`)
    return file
  }
}

/** Creates a master image like a synchronization does, in the embedded database of a program. */
export async function enterMasterImage(folder: string, image: Fields): Promise<string> {
  const url = await locateEmbeddedPostgres(join(folder, '.data', 'postgres'))
  return storeMasterImage(url!, image)
}

/** Creates a master image like a synchronization does. */
export async function storeMasterImage(url: string, image: Fields): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { virtualPath, command, commandArguments = [] } = image
    const id = randomUUID()
    await client.query(
      `insert into master_images
         (id, name, path, virtual_path, group_virtual_path, command, command_arguments)
       values ($1, $2, $2, $2, $3, $4, $5)`,
      [id, virtualPath, virtualPath.split('/')[0], command, JSON.stringify(commandArguments)]
    )
    return id
  } finally {
    await client.end()
  }
}
