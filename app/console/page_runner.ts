import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { Authenticator } from '#auth/authenticator'
import { connectionEndSignal, sendEvents, type ServerSentEvent } from '#http/event_stream'
import { ConcurrencyLimit } from '#kernel/concurrency_limit'
import { Failure } from '#kernel/failures'
import { HubAddresses } from './hub_addresses.js'
import { HubClient } from './hub_client.js'
import { HubFailure } from './hub_failure.js'
import { NotConfirmed } from './not_confirmed.js'
import { keepNotice, takeNotice } from './notice.js'
import { navigationFor } from './navigation.js'
import { Page, SENT, type PageResult, type View } from './page.js'
import { setPageHeaders } from './page_headers.js'
import { PageNotFound } from './page_not_found.js'
import { FORM_TOKEN_FIELD, isOwnForm, newFormToken } from '#console/session/form_token'
import { SessionEnded } from '#console/session/session_ended'
import { Sessions, type SignedIn } from '#console/session/sessions'
import { consolePath, consoleUrl, Views } from './views.js'

export type PageHandler = (page: Page, ctx: HttpContext) => Promise<PageResult> | PageResult

/** Opens the stream for a page. It ends when the signal aborts. */
export type StreamHandler = (
  page: Page,
  options: { readonly signal: AbortSignal; readonly after: string | undefined }
) => Promise<AsyncIterable<ServerSentEvent>> | AsyncIterable<ServerSentEvent>

/** Concurrent pages per user and per process. A person needs fewer. */
const PAGE_LIMITS = limits(8, 512)
/** Concurrent streams and downloads, which last long. A visible tab has up to two. */
const LASTING_LIMITS = limits(16, 1_000)

/** Runs the handlers of pages and actions for the signed-in user, and renders their results. */
@inject()
export class PageRunner {
  readonly #views: Views
  readonly #sessions: Sessions
  readonly #addresses: HubAddresses
  readonly #authenticator: Authenticator
  readonly #pages = new ConcurrencyLimit(PAGE_LIMITS)
  readonly #lasting = new ConcurrencyLimit(LASTING_LIMITS)

  constructor(
    views: Views,
    sessions: Sessions,
    addresses: HubAddresses,
    authenticator: Authenticator
  ) {
    this.#views = views
    this.#sessions = sessions
    this.#addresses = addresses
    this.#authenticator = authenticator
  }

  /** Shows a page. A user without a session signs in first and then returns to it. */
  show(ctx: HttpContext, handler: PageHandler): Promise<void> {
    return this.#showWithin(ctx, handler, this.#pages)
  }

  /** Sends a file, which may take long. Failures are shown as a page. */
  download(ctx: HttpContext, handler: PageHandler): Promise<void> {
    return this.#showWithin(ctx, handler, this.#lasting)
  }

  /**
   * Streams to the script of a page until the browser leaves, the token ends or the process stops. The browser then
   * connects again, which renews the session, and learns with 401 that there is none.
   */
  async stream(ctx: HttpContext, handler: StreamHandler): Promise<void> {
    try {
      const signedIn = await this.#sessions.find(ctx)
      if (!signedIn) {
        throw new SessionEnded()
      }
      await this.#renewing(ctx, signedIn, (current) =>
        this.#lasting.run(current.actor, () => this.#sendStream(ctx, current, handler))
      )
    } catch (error) {
      refuseStream(ctx, error)
    }
  }

  /** Runs the action of a form. A form of another session or site is refused before the handler. */
  async act(ctx: HttpContext, handler: PageHandler): Promise<void> {
    await this.#respond(ctx, async () => {
      const signedIn = await this.#sessions.find(ctx)
      if (!signedIn) {
        return this.showPlain(ctx, 'session_ended', 401)
      }
      if (!isOwnForm(ctx, signedIn.session, ctx.request.body()[FORM_TOKEN_FIELD])) {
        return this.showPlain(ctx, 'forged', 403, signedIn)
      }
      await this.#run(ctx, signedIn, handler, this.#pages)
    })
  }

  /** Shows a page that needs no session. */
  async showPlain(
    ctx: HttpContext,
    template: string,
    status: number,
    signedIn?: SignedIn,
    data: Readonly<Record<string, unknown>> = {}
  ): Promise<void> {
    setPageHeaders(ctx)
    await this.#send(ctx, { template: `plain/${template}`, data, status }, signedIn)
  }

  /** Shows a failure before the handler, such as an unknown path or an invalid form. */
  async showFailure(ctx: HttpContext, failure: Failure): Promise<void> {
    setPageHeaders(ctx)
    // A caller with too many requests causes no further ones.
    const signedIn = failure.status === 429 ? undefined : await this.#findQuietly(ctx)
    if (failure.status === 404) {
      return this.showPlain(ctx, 'not_found', 404, signedIn)
    }
    await (failure.status === 500
      ? this.#showFault(ctx, signedIn)
      : this.#showRefusal(ctx, failure, signedIn))
  }

  #showWithin(ctx: HttpContext, handler: PageHandler, limit: ConcurrencyLimit): Promise<void> {
    return this.#respond(ctx, async () => {
      const signedIn = await this.#sessions.find(ctx)
      if (!signedIn) {
        throw new SessionEnded()
      }
      await this.#renewing(ctx, signedIn, (current) => this.#run(ctx, current, handler, limit))
    })
  }

  async #sendStream(ctx: HttpContext, signedIn: SignedIn, handler: StreamHandler): Promise<void> {
    const ending = connectionEndSignal(ctx)
    const ended = new AbortController()
    ending.addListener({ onEnd: () => ended.abort() })
    this.#authenticator.guardConnection?.(signedIn.session.accessToken, ending)
    const { signal } = ended
    const after = ctx.request.header('last-event-id')
    const events = await handler(this.#pageOf(ctx, signedIn), { signal, after })
    await sendEvents(ctx, events, signal)
  }

  /** A service may reject a token before it expires; then the session is renewed once. */
  async #renewing(
    ctx: HttpContext,
    signedIn: SignedIn,
    work: (signedIn: SignedIn) => Promise<void>
  ): Promise<void> {
    try {
      await work(signedIn)
    } catch (error) {
      const renewed = isUnauthorized(error)
        ? await this.#sessions.renew(ctx, signedIn.session)
        : undefined
      if (!renewed) {
        throw isUnauthorized(error) ? new SessionEnded() : error
      }
      await work(renewed)
    }
  }

  async #run(
    ctx: HttpContext,
    signedIn: SignedIn,
    handler: PageHandler,
    limit: ConcurrencyLimit
  ): Promise<void> {
    await limit.run(signedIn.actor, async () => {
      const result = await handler(this.#pageOf(ctx, signedIn), ctx)
      if (result === SENT) {
        return
      }
      if ('to' in result) {
        if (result.notice !== undefined) {
          keepNotice(ctx, result.notice)
        }
        return redirect(ctx, consoleUrl(result.to))
      }
      await this.#send(ctx, result, signedIn)
    })
  }

  #pageOf(ctx: HttpContext, { session, actor }: SignedIn): Page {
    const { request, response, params } = ctx
    const gone = new AbortController()
    response.response.once('close', () => gone.abort())
    const hub = new HubClient({
      addresses: this.#addresses,
      token: session.accessToken,
      origin: {
        address: request.ip(),
        userAgent: request.header('user-agent'),
        requestId: request.id() ?? '',
      },
      signal: gone.signal,
    })
    const query = new URL(request.url(true), 'http://console').searchParams
    const form = textsOf(request.body())
    const { texts } = this.#views
    return new Page({ actor, hub, session, texts, params, query, form, url: consoleUrl })
  }

  async #send(ctx: HttpContext, view: View, signedIn?: SignedIn): Promise<void> {
    const actor = signedIn?.actor
    const notice = takeNotice(ctx)
    const text = await this.#views.render(view.template, view.data, {
      actor,
      may: (permission: string) => actor?.permissions.has(permission) ?? false,
      navigation: actor ? navigationFor(actor) : [],
      formToken: () => (signedIn ? newFormToken(signedIn.session) : ''),
      formTokenField: FORM_TOKEN_FIELD,
      notice: notice !== undefined && this.#views.texts.has(notice) ? notice : undefined,
    })
    ctx.response.status(view.status)
    ctx.response.send(text)
  }

  async #respond(ctx: HttpContext, work: () => Promise<void>): Promise<void> {
    setPageHeaders(ctx)
    try {
      await work()
    } catch (error) {
      await this.#showError(ctx, error)
    }
  }

  async #showError(ctx: HttpContext, error: unknown): Promise<void> {
    if (error instanceof SessionEnded) {
      const to = encodeURIComponent(consolePath(ctx.request.url(true)))
      return redirect(ctx, `${consoleUrl('/sign-in')}?to=${to}`)
    }
    if (error instanceof NotConfirmed) {
      keepNotice(ctx, 'action.unconfirmed')
      return redirect(ctx, consoleUrl(error.returnTo))
    }
    const signedIn = await this.#findQuietly(ctx)
    if (error instanceof PageNotFound) {
      return this.showPlain(ctx, 'not_found', 404, signedIn)
    }
    if (error instanceof HubFailure || error instanceof Failure) {
      return this.#showRefusal(ctx, error, signedIn)
    }
    ctx.logger.error({ err: error }, 'a page of the console failed')
    await this.#showFault(ctx, signedIn)
  }

  #showRefusal(
    ctx: HttpContext,
    { status, message, code, issues }: HubFailure | Failure,
    signedIn: SignedIn | undefined
  ): Promise<void> {
    return this.showPlain(ctx, 'refused', status, signedIn, { message, code, issues, status })
  }

  #showFault(ctx: HttpContext, signedIn: SignedIn | undefined): Promise<void> {
    return this.showPlain(ctx, 'failed', 500, signedIn, { requestId: ctx.request.id() })
  }

  /** The user for a failure page; undefined if the session cannot be read. */
  #findQuietly(ctx: HttpContext): Promise<SignedIn | undefined> {
    return this.#sessions.find(ctx).catch(() => undefined)
  }
}

/** Limits per user and per process. */
function limits(perCaller: number, total: number) {
  const refusal = (scope: 'caller' | 'total') =>
    new HubFailure(
      429,
      'rate_limited',
      scope === 'caller'
        ? `A user may have ${perCaller} pages or streams open at once: close some and try again`
        : 'Too many pages or streams are open: try again later'
    )
  return { perCaller, total, refusal }
}

const isUnauthorized = (error: unknown): boolean =>
  error instanceof HubFailure && error.status === 401

/** Scripts read only the status: 401 leads to the sign-in, and others are tried again by reading the page. */
function refuseStream(ctx: HttpContext, error: unknown): void {
  const { response } = ctx
  const isKnown = error instanceof HubFailure || error instanceof Failure
  if (!isKnown && !(error instanceof SessionEnded)) {
    ctx.logger.error({ err: error }, 'a stream of the console failed')
  }
  const status = error instanceof SessionEnded ? 401 : isKnown ? error.status : 500
  response.status(status)
  response.header('cache-control', 'no-store')
  response.send(null)
}

function redirect({ response }: HttpContext, address: string): void {
  response.status(303)
  response.header('location', address)
  response.send(null)
}

function textsOf(body: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts = Object.entries(body).filter(([, value]) => typeof value === 'string')
  return Object.fromEntries(texts) as Record<string, string>
}
