import type { ServerResponse } from 'node:http'

import type { Robot } from './robots.js'

/** Who sends a request. A caller that shows no password, or a wrong one, is anonymous. */
export type Caller =
  | { readonly kind: 'admin' | 'user'; readonly name: string }
  | { readonly kind: 'robot'; readonly name: string; readonly robot: Robot }
  | { readonly kind: 'nobody' }

export interface Question {
  readonly method: string
  /** Decoded once. */
  readonly path: readonly string[]
  readonly pathname: string
  readonly query: URLSearchParams
  readonly text: string
  /** Whether projects are named; else a name of digits is an id. */
  readonly isByName: boolean
  readonly caller: Caller
}

export interface Reply {
  readonly status: number
  readonly body?: unknown
  readonly location?: string
  readonly headers?: Record<string, string>
}

/** Thrown where Harbor refuses. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message = code.toLowerCase()
  ) {
    super(message)
  }
}

export const badRequest = (message: string) => new Refusal(400, 'BAD_REQUEST', message)
export const unprocessable = (message: string) => new Refusal(422, 'UNPROCESSABLE_ENTITY', message)
export const conflict = (message: string) => new Refusal(409, 'CONFLICT', message)
export const missing = (what: string) => new Refusal(404, 'NOT_FOUND', `${what} not found`)
export const unauthorized = () => new Refusal(401, 'UNAUTHORIZED')
export const forbidden = (message?: string) => new Refusal(403, 'FORBIDDEN', message)

/** Lower case letters and digits, with single dots, dashes and underscores between them. */
export const NAME = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/

export function jsonOf({ text }: Question): any {
  try {
    return JSON.parse(text)
  } catch {
    throw unprocessable('parsing the body failed')
  }
}

/** One page of a list, and what its headers say. */
export function pageOf({ query, pathname }: Question, items: readonly unknown[]): Reply {
  const page = Number(query.get('page') ?? 1)
  const size = Number(query.get('page_size') ?? 10)
  if (size > 100) {
    throw unprocessable('page_size in query should be less than or equal to 100')
  }
  const first = Math.max(0, page - 1) * size
  const body = size === 0 ? items : items.slice(first, first + size)
  const isLast = size === 0 || page * size >= items.length
  const next = `<${pathname}?page=${page + 1}&page_size=${size}>; rel="next"`
  return {
    status: 200,
    body,
    headers: { 'x-total-count': String(items.length), ...(!isLast && { link: next }) },
  }
}

/** `q=name=x` finds x, `q=name=~x` whatever holds it. */
export function isSought({ query }: Question, name: string): boolean {
  const sought = /(?:^|,)name=(~?)([^,]*)/.exec(query.get('q') ?? '')
  return !sought || (sought[1] ? name.includes(sought[2]!) : name === sought[2])
}

export function send(response: ServerResponse, { status, body, location, headers }: Reply): void {
  const type = status < 400 ? 'application/json' : 'application/json; charset=utf-8'
  response.writeHead(status, {
    'set-cookie': 'sid=of-this-answer; Path=/; HttpOnly',
    ...(body !== undefined && { 'content-type': type }),
    ...(location && { location }),
    ...headers,
  })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}
