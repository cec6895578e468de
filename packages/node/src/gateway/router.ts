import type { IncomingMessage, ServerResponse } from 'node:http'

import { GatewayError } from './errors.js'

export interface GatewayRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

export type GatewayHandler = (request: GatewayRequest) => Promise<void> | void

/** The token of an analysis that a route accepts. */
export type GatewayToken = 'none' | 'node' | 'data'

interface GatewayRoute {
  readonly token: GatewayToken
  readonly handler: GatewayHandler
}

export interface RouteMatch extends GatewayRoute {
  readonly params: Readonly<Record<string, string>>
}

interface Entry extends GatewayRoute {
  readonly method: string
  readonly pattern: RegExp
}

/** Finds routes by method and path. `:name` matches a segment, `*` the rest. */
export class Router {
  readonly #entries: Entry[] = []

  add(token: GatewayToken, method: string, path: string, handler: GatewayHandler): this {
    this.#entries.push({ token, method, pattern: patternOf(path), handler })
    return this
  }

  find(method: string, path: string): RouteMatch | undefined {
    for (const { pattern, handler, token, ...entry } of this.#entries) {
      const match = entry.method === method ? pattern.exec(path) : null
      if (match) {
        return { token, handler, params: decoded(match.groups ?? {}) }
      }
    }
    return undefined
  }
}

function patternOf(path: string): RegExp {
  const source = path.replace(/:(\w+)/g, '(?<$1>[^/]+)').replace('*', '(?<rest>.+)')
  return new RegExp(`^${source}$`)
}

function decoded(groups: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(groups).map(([name, value]) => [name, decodedText(value)])
  )
}

function decodedText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new GatewayError(400, 'The path is not encoded as one of a URL')
  }
}
