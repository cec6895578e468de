import type { IncomingHttpHeaders } from 'node:http'

import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { admitsEverybody } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import { catalogue } from '#http/route_catalogue'
import { Authenticator } from './authenticator.js'
import { authSettings, type TokenSources } from './auth_settings.js'

declare module '@adonisjs/core/http' {
  interface HttpContext {
    /** The access token of `actor`, for connections that outlive their request. */
    token?: string
  }
}

const BEARER = /^bearer ([^\s]+)$/i
const OWN_SITE = [undefined, 'same-origin', 'same-site', 'none']

/** Sets the actor of requests with a valid access token. */
@inject()
export default class AuthenticationMiddleware {
  readonly #authenticator: Authenticator
  readonly #sources = authSettings().tokenSources

  constructor(authenticator: Authenticator) {
    this.#authenticator = authenticator
  }

  handle(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    const { headers, method = '' } = ctx.request.request
    const token = tokenOf(headers, method, this.#sources)
    if (token === undefined) {
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
  return access !== undefined && !admitsEverybody(access)
}
