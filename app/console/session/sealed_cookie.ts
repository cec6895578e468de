import type { HttpContext } from '@adonisjs/core/http'

import { seal, unseal } from '#records/sealing'
import { cookieAttributes } from './cookie_attributes.js'

/** Browsers store 4 KiB for each cookie, with its name and attributes. */
const CHUNK_CHARACTERS = 3_700
/** Servers accept 16 KiB of headers in total. */
const MAX_CHUNKS = 3

/** A cookie that only the server can read or create. A large value is split over several cookies. */
export interface SealedCookie {
  readonly name: string
  readonly purpose: 'console session' | 'console sign-in' | 'console user'
  readonly lifetimeSeconds: number
}

/** The value does not fit into cookies. */
class CookieTooLarge extends Error {}

/** The value; undefined if it is missing, forged or expired. */
export function readSealed({ request }: HttpContext, { name, purpose }: SealedCookie): unknown {
  const chunks: string[] = []
  for (let index = 0; index < MAX_CHUNKS; index++) {
    const chunk: unknown = request.plainCookie(nameOf(name, index), { encoded: false })
    if (typeof chunk !== 'string') {
      break
    }
    chunks.push(chunk)
  }
  const text = chunks.length > 0 ? unseal(purpose, chunks.join('')) : null
  return text === null ? undefined : JSON.parse(text)
}

export function writeSealed(ctx: HttpContext, cookie: SealedCookie, value: unknown): void {
  const { purpose, lifetimeSeconds } = cookie
  const sealed = seal(purpose, JSON.stringify(value), `${lifetimeSeconds} seconds`)
  const chunks = sealed.match(new RegExp(`.{1,${CHUNK_CHARACTERS}}`, 'gs')) ?? []
  if (chunks.length > MAX_CHUNKS) {
    throw new CookieTooLarge()
  }
  for (let index = 0; index < MAX_CHUNKS; index++) {
    setChunk(ctx, cookie, index, chunks[index])
  }
}

export function clearSealed(ctx: HttpContext, cookie: SealedCookie): void {
  for (let index = 0; index < MAX_CHUNKS; index++) {
    setChunk(ctx, cookie, index, undefined)
  }
}

function setChunk(
  { request, response }: HttpContext,
  cookie: SealedCookie,
  index: number,
  chunk: string | undefined
): void {
  const name = nameOf(cookie.name, index)
  const attributes = { ...cookieAttributes(), sameSite: 'lax' } as const
  if (chunk !== undefined) {
    const maxAge = cookie.lifetimeSeconds
    response.plainCookie(name, chunk, { ...attributes, encode: false, maxAge })
  } else if (typeof request.plainCookie(name, { encoded: false }) === 'string') {
    response.clearCookie(name, attributes)
  }
}

const nameOf = (name: string, index: number): string => (index === 0 ? name : `${name}.${index}`)
