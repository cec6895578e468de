import { SURFACE_NAMES, type SurfaceName } from '#configuration/surfaces'
import { EXIT } from '#hubctl/exit_codes'
import type { Api } from '#hubctl/platform/api'
import { Problem, UsageProblem } from '#hubctl/problem'
import type { Kind } from './kind.js'
import { kindsIn, type PublishedDocument } from './published_kinds.js'

/** The kinds of record that the services of a platform publish. */
export class Kinds {
  readonly #api: Api
  #known: Promise<{ kinds: Kind[]; silent: Problem[] }> | undefined

  constructor(api: Api) {
    this.#api = api
  }

  async all(): Promise<readonly Kind[]> {
    const { kinds, silent: failures } = await this.#loaded()
    if (kinds.length === 0 && failures[0]) {
      throw failures[0]
    }
    return kinds
  }

  /** Finds a kind by singular or plural name, in any spelling. */
  async find(name: string): Promise<Kind> {
    const { silent: failures } = await this.#loaded()
    const kinds = await this.all()
    const wanted = normalized(name)
    const found = kinds.find((kind) =>
      [kind.name, kind.plural].some((spelling) => normalized(spelling) === wanted)
    )
    if (found) {
      return found
    }
    if (failures.length > 0) {
      throw new Problem(failures[0]!.exitCode, `No service that answers has a kind "${name}".`, [
        ...failures.map(({ message }) => message),
        'Check the services: hubctl status',
      ])
    }
    const near = kinds.filter((kind) => normalized(kind.plural).includes(wanted.slice(0, 4)))
    throw new UsageProblem(
      `There is no kind "${name}".`,
      ...(near.length > 0 ? [`Did you mean: ${near.map((kind) => kind.name).join(', ')}?`] : []),
      'All kinds: hubctl kinds'
    )
  }

  #loaded() {
    return (this.#known ??= this.#load())
  }

  async #load() {
    const results = await Promise.all(SURFACE_NAMES.map((service) => this.#loadService(service)))
    const kinds = results.flatMap((result) => (result instanceof Problem ? [] : result))
    const failures = results.filter((result) => result instanceof Problem)
    return { kinds, silent: failures }
  }

  async #loadService(service: SurfaceName): Promise<Kind[] | Problem> {
    try {
      const document = await this.#api.read<PublishedDocument>(service, '/docs/openapi.json')
      return kindsIn(service, document)
    } catch (error) {
      if (error instanceof Problem && error.exitCode !== EXIT.login) {
        return error
      }
      throw error
    }
  }
}

function normalized(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, '')
}
