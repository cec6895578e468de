import { SURFACE_PREFIXES, type SurfaceName } from '#configuration/surfaces'
import { UsageProblem } from '#hubctl/problem'

/** The address of each service: below that of the platform, unless it has one of its own. */
export class Addresses {
  readonly #own: Readonly<Partial<Record<string, string>>>

  constructor(
    readonly url: string,
    own: Readonly<Partial<Record<string, string>>> = {}
  ) {
    this.#own = own
  }

  of(service: SurfaceName): string {
    return this.#own[service] ?? `${this.url}${SURFACE_PREFIXES[service]}`
  }
}

/** Parses an address: with a scheme and without a trailing slash. */
export function addressIn(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageProblem(
      `"${text}" is not an address of a platform.`,
      'An address looks like https://hub.example.org'
    )
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new UsageProblem(
      'The address of a platform has no user, password, query or fragment.',
      'Log in with: hubctl login --url <address>'
    )
  }
  return url.href.replace(/\/+$/, '')
}
