import type { IncomingHttpHeaders } from 'node:http'

import type { HttpContext } from '@adonisjs/core/http'

import type { Actor } from '#kernel/actor'
import type { EndSignal } from '#kernel/end_signal'
import { catalogue } from '#http/route_catalogue'

/**
 * Verifies access tokens; undefined for an invalid one. Throws if a token cannot be verified now. Routes without
 * authentication ignore failures.
 */
export interface Authenticator {
  verify(token: string): Promise<Actor | undefined> | Actor | undefined
  /**
   * For connections that outlive their request: ends them when the token expires or is revoked. Without it, a token is
   * accepted for as long as the connection lasts.
   */
  guardConnection?(token: string, connection: EndSignal): void
  /** For connections that outlive their token: watches the session of the token until it ends or `closed` aborts. */
  watchSession?(token: string, closed: AbortSignal): SessionWatch
}

/** The session of a connected caller. */
export interface SessionWatch {
  /** Aborts when the session ends. */
  readonly ended: AbortSignal
  /** The caller with its current permissions; undefined if the session has ended. */
  actor(): Promise<Actor | undefined>
  /** Calls a listener whenever the actor may have changed. */
  onChange(listener: (actor: Actor) => void): void
}

export interface TokenSources {
  /** The cookie of browsers that cannot send a header. */
  readonly cookie: string
  /** Further origins whose requests may use the cookie. */
  readonly origins: readonly string[]
}

declare module '@adonisjs/core/http' {
  interface HttpContext {
    /** The access token of `actor`, for connections that outlive their request. */
    token?: string
  }
}

const BEARER = /^bearer ([^\s]+)$/i
const OWN_SITE = [undefined, 'same-origin', 'same-site', 'none']

/** Sets the actor of requests with a valid access token. */
export default class AuthenticationMiddleware {
  readonly #authenticator: Authenticator | undefined
  readonly #sources: TokenSources

  constructor(authenticator: Authenticator | undefined, sources: TokenSources) {
    this.#authenticator = authenticator
    this.#sources = sources
  }

  handle(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    const { headers, method = '' } = ctx.request.request
    const token = tokenOf(headers, method, this.#sources)
    if (token === undefined || !this.#authenticator) {
      return next()
    }
    const actor = this.#authenticator.verify(token)
    if (actor instanceof Promise) {
      return this.#verifyAsync(actor, token, ctx).then(next)
    }
    setActor(ctx, actor, token)
    return next()
  }

  async #verifyAsync(
    actor: Promise<Actor | undefined>,
    token: string,
    ctx: HttpContext
  ): Promise<void> {
    try {
      setActor(ctx, await actor, token)
    } catch (failure) {
      if (await needsIdentity(ctx)) {
        throw failure
      }
    }
  }
}

function setActor(ctx: HttpContext, actor: Actor | undefined, token: string): void {
  if (actor) {
    ctx.actor = actor
    ctx.token = token
  }
}

/**
 * The access token of a request. A cookie is only accepted for read requests of trusted sites without an Authorization
 * header.
 */
export function tokenOf(
  headers: IncomingHttpHeaders,
  method: string,
  { cookie, origins }: TokenSources
): string | undefined {
  if (headers.authorization !== undefined) {
    return BEARER.exec(headers.authorization)?.[1]
  }
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && headers.cookie !== undefined && isOwnSite(headers, origins)
    ? tokenInCookie(headers.cookie, cookie)
    : undefined
}

function isOwnSite(headers: IncomingHttpHeaders, origins: readonly string[]): boolean {
  const site = headers['sec-fetch-site'] as string | undefined
  return OWN_SITE.includes(site) || origins.includes(headers.origin ?? '')
}

function tokenInCookie(cookies: string, name: string): string | undefined {
  for (const pair of cookies.split(';')) {
    const [key, ...rest] = pair.split('=')
    if (key!.trim() === name) {
      const value = decodeCookie(rest.join('=').trim())
      return BEARER.exec(value)?.[1] ?? (/^[^\s]+$/.test(value) ? value : undefined)
    }
  }
  return undefined
}

function decodeCookie(value: string): string {
  const plain = value.replace(/^"(.*)"$/, '$1')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}

/** Whether the matching route requires authentication. False if no route matches. */
async function needsIdentity({ request, containerResolver }: HttpContext): Promise<boolean> {
  const router = await containerResolver.make('router')
  const name = router.match(request.url(), request.method(), false)?.route.name
  const declared = catalogue
    .all()
    .find(({ surface, operation }) => `${surface.name}.${operation.name}` === name)
  const access = declared?.operation.entry ?? declared?.operation.access
  return access !== undefined && access.kind !== 'public'
}
