import type { LifeInstallation, Service } from './installation.js'

export interface Answer {
  /** What was asked. */
  readonly request: string
  readonly status: number
  readonly body: any
}

/** Somebody, or a program, that talks to an installation; with a token, unless it has none. */
export class Caller {
  readonly #installation: LifeInstallation
  readonly #headers: Readonly<Record<string, string>>

  constructor(installation: LifeInstallation, token?: string) {
    this.#installation = installation
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  /** Who logs in at the provider of the installation. */
  static async login(
    installation: LifeInstallation,
    grant: Readonly<Record<string, string>>
  ): Promise<Caller> {
    const response = await fetch(installation.at('auth', '/token'), {
      method: 'POST',
      body: new URLSearchParams(grant),
    })
    const { access_token: token } = (await response.json()) as { access_token?: string }
    if (token === undefined) {
      throw new Error(`The login of ${grant.username ?? grant.client_id} was refused`)
    }
    return new Caller(installation, token)
  }

  fetch(service: Service, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...this.#headers, ...init.headers }
    return fetch(this.#installation.at(service, path), { ...init, headers })
  }

  async call(service: Service, method: string, path: string, body?: object): Promise<Answer> {
    const json = body && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const response = await this.fetch(service, path, { method, ...json })
    return answerOf(`${method} ${path} ${JSON.stringify(body ?? '')}`, response)
  }

  /** The data of an answer that has to be a good one. */
  async done(service: Service, method: string, path: string, body?: object): Promise<any> {
    const answer = await this.call(service, method, path, body)
    if (answer.status >= 300) {
      throw new Error(`${answer.request}: ${answer.status} ${JSON.stringify(answer.body)}`)
    }
    return answer.body.data ?? answer.body
  }

  core = (method: string, path: string, body?: object) => this.call('core', method, path, body)

  /** Puts a text into a bucket as a file of a form. */
  async upload(bucketId: string, name: string, text: string): Promise<Answer> {
    const form = new FormData()
    form.append(name, new Blob([text]), name)
    const path = `/buckets/${bucketId}/upload`
    return answerOf(path, await this.fetch('storage', path, { method: 'POST', body: form }))
  }
}

async function answerOf(request: string, response: Response): Promise<Answer> {
  const text = await response.text()
  return { request, status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}
