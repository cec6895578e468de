import { NotConfirmed } from './not_confirmed.js'
import { PageNotFound } from './page_not_found.js'
import type { Actor } from '#kernel/actor'
import { isUuid } from '#kernel/is_uuid'
import type { HubClient } from './hub_client.js'
import type { ConsoleSession } from '#console/session/console_session'
import type { Texts, TextValues } from '#http/texts'

/** A page as a template with its data. */
export interface View {
  readonly template: string
  readonly data: Readonly<Record<string, unknown>>
  readonly status: number
}

/** A redirect to another page of the console, with the key of a text that is shown there once. */
export interface Redirect {
  readonly to: string
  readonly notice: string | undefined
}

/** A response that the handler has sent itself, such as a download. */
export const SENT = Symbol('sent')

export type PageResult = View | Redirect | typeof SENT

interface PageOptions {
  readonly actor: Actor
  readonly hub: HubClient
  readonly session: ConsoleSession
  readonly texts: Texts
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly form: Readonly<Record<string, string>>
  /** The public path of a page of the console. */
  readonly url: (path: string) => string
}

/** The context of a page handler: the reader, and the services on behalf of that user. */
export class Page {
  readonly actor: Actor
  readonly hub: HubClient
  readonly session: ConsoleSession
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The fields of a submitted form, whose token was checked. */
  readonly form: Readonly<Record<string, string>>
  readonly url: (path: string) => string
  readonly #texts: Texts

  constructor({ texts, ...options }: PageOptions) {
    this.actor = options.actor
    this.hub = options.hub
    this.session = options.session
    this.params = options.params
    this.query = options.query
    this.form = options.form
    this.url = options.url
    this.#texts = texts
  }

  t(key: string, values?: TextValues): string {
    return this.#texts.get(key, values)
  }

  /** The text for a value of a service; the value itself if it is newer than the texts. */
  textOr(key: string, word: string): string {
    return this.#texts.has(key) ? this.#texts.get(key) : word
  }

  /** Whether the user has a permission. Services check it again, with the record. */
  may(permission: string): boolean {
    return this.actor.permissions.has(permission)
  }

  /** An id in the path. Throws if it is malformed. */
  uuid(name: string): string {
    const value = this.params[name] ?? ''
    if (!isUuid(value)) {
      throw new PageNotFound()
    }
    return value
  }

  /**
   * Throws if a form with `confirm` does not repeat the name, which leads back to its page. Call it before any change.
   */
  requireConfirmation(name: string, returnTo: string): void {
    if (this.form.confirm !== name) {
      throw new NotConfirmed(returnTo)
    }
  }

  view(template: string, data: Readonly<Record<string, unknown>>, status = 200): View {
    return { template, data, status }
  }

  redirect(to: string, notice?: string): Redirect {
    return { to, notice }
  }
}
