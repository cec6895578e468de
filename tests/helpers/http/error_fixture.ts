import type { Placeholder } from '#tests/helpers/vectors'
import type { SurfaceName } from '#configuration/surfaces'

type FixtureRecord = { id: string } & Record<string, unknown>
type Made = ReadonlyMap<string, FixtureRecord>

interface Step {
  name: Placeholder | 'registry'
  surface: SurfaceName
  collection: string
  /** The body that creates the record; undefined while a record it needs is missing. */
  body: (made: Made) => Record<string, unknown> | undefined
  /** What has to be changed of the record so that it is as the cases need it. */
  correction?: (record: FixtureRecord) => Record<string, unknown> | undefined
}

/** The registry comes after the node: a node that finds exactly one registry is connected to it. */
const STEPS: readonly Step[] = [
  {
    name: 'node',
    surface: 'core',
    collection: '/nodes',
    body: () => ({ name: 'node-one' }),
    correction: ({ registryProjectId }) => (registryProjectId ? { registryId: null } : undefined),
  },
  {
    name: 'registry',
    surface: 'core',
    collection: '/registries',
    body: () => ({
      name: 'registry-one',
      host: 'registry.example',
      accountName: 'account-one',
      accountSecret: 'not-for-everybody',
    }),
  },
  {
    name: 'project',
    surface: 'core',
    collection: '/projects',
    body: () => ({ name: 'proj-one' }),
  },
  {
    name: 'analysis',
    surface: 'core',
    collection: '/analyses',
    body: (made) => {
      const project = made.get('project')
      return project && { projectId: project.id }
    },
  },
  { name: 'bucket', surface: 'storage', collection: '/buckets', body: () => ({ name: 'bkt-err' }) },
]

/** How the fixture reaches the program it is built in. */
export interface Reach {
  address: (surface: SurfaceName, path: string) => string
  isServed: (surface: SurfaceName, method: string, path: string) => boolean
  /** Those of an identity that may create everything. */
  headers: () => Promise<Record<string, string>>
}

/**
 * The records that the error cases name, made by requests to the program itself; what it does not serve is left out.
 */
export class ErrorFixture {
  readonly #made = new Map<string, FixtureRecord>()
  readonly #reach: Reach

  constructor(reach: Reach) {
    this.#reach = reach
  }

  /** Makes what can be made; where that fails, what was made before is deleted again. */
  async build(): Promise<void> {
    try {
      for (const step of STEPS) {
        const body = step.body(this.#made)
        if (body && this.#reach.isServed(step.surface, 'POST', step.collection)) {
          await this.#make(step, body)
        }
      }
    } catch (error) {
      await this.remove()
      throw error
    }
  }

  /** Deletes what was made, in the opposite order. */
  async remove(): Promise<void> {
    for (const { name, surface, collection } of STEPS.toReversed()) {
      const record = this.#made.get(name)
      if (record) {
        await this.#request('DELETE', surface, `${collection}/${record.id}`)
        this.#made.delete(name)
      }
    }
  }

  has(name: string): boolean {
    return this.#made.has(name)
  }

  /** Puts ids in the place of the names in braces, in a text or in all texts of a body. */
  fill(value: unknown): unknown {
    if (typeof value === 'string') {
      return value.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => this.#made.get(name)!.id)
    }
    if (Array.isArray(value)) {
      return value.map((item) => this.fill(item))
    }
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.fill(item)]))
    }
    return value
  }

  async #make(step: Step, body: Record<string, unknown>): Promise<void> {
    const { name, surface, collection, correction } = step
    const record = await this.#request('POST', surface, collection, body)
    this.#made.set(name, record)
    const change = correction?.(record)
    if (change) {
      await this.#request('POST', surface, `${collection}/${record.id}`, change)
    }
  }

  async #request(method: string, surface: SurfaceName, path: string, body?: object) {
    const response = await fetch(this.#reach.address(surface, path), {
      method,
      headers: { 'content-type': 'application/json', ...(await this.#reach.headers()) },
      body: body && JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) {
      throw new Error(
        `The fixture could not ${method} ${path} of ${surface}: ${response.status} ${text}`
      )
    }
    return (JSON.parse(text) as { data: FixtureRecord }).data
  }
}
