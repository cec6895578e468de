import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { json } from 'node:stream/consumers'

import type { Manifest } from './helm.js'

export interface ServerObject extends Manifest {
  readonly metadata: Manifest['metadata'] & { readonly deletionTimestamp?: string }
  /** Why there is none, in an answer that refuses. */
  readonly reason?: string
  readonly status?: { readonly conditions?: { type: string; status: string }[] }
}

/** What the server did with an object: the object, or why it was refused, and what it warns of. */
export interface ServerAnswer {
  readonly object: ServerObject
  readonly refusal: string | undefined
  readonly warnings: readonly string[]
}

interface ApiResource {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
}

interface ApiRequest {
  readonly method: string
  readonly body?: object
  readonly contentType?: string
}

const APPLY_PATCH = 'application/apply-patch+yaml'
const FIELD_MANAGER = 'helm'

/** Requests to a kube-apiserver as its administrator. */
export class KubernetesClient {
  readonly #origin: string
  readonly #token: string
  readonly #ca: string
  readonly #resources = new Map<string, readonly ApiResource[]>()

  /** The password of the address is the token. */
  constructor(address: string, ca: string) {
    const { origin, password } = new URL(address)
    this.#origin = origin
    this.#token = password
    this.#ca = ca
  }

  async read(path: string): Promise<void> {
    const { statusCode } = await this.#send(path, { method: 'GET' })
    if (statusCode !== 200) {
      throw new Error(`GET ${path} was answered with ${statusCode}`)
    }
  }

  /** Creates an object, and throws if the server refuses it. */
  async create(object: ServerObject): Promise<ServerObject> {
    const path = await this.#collectionOf(object)
    return accepted(object, await this.#answerTo(path, { method: 'POST', body: object }))
  }

  /** Creates or changes an object, and throws if the server refuses it. */
  async apply(object: ServerObject): Promise<void> {
    accepted(object, await this.#apply(object, {}))
  }

  /** Undefined if it does not exist, or is being deleted. */
  async find(object: ServerObject): Promise<ServerObject | undefined> {
    const path = `${await this.#collectionOf(object)}/${object.metadata.name}`
    const answer = await this.#answerTo(path, { method: 'GET' })
    if (answer.object.reason === 'NotFound') {
      return undefined
    }
    const found = accepted(object, answer)
    return found.metadata.deletionTimestamp === undefined ? found : undefined
  }

  /** What the server would do with an object if it were applied. */
  async dryRun(object: ServerObject): Promise<ServerAnswer> {
    return this.#apply(object, { dryRun: 'All' })
  }

  async #apply(object: ServerObject, options: Record<string, string>): Promise<ServerAnswer> {
    const query = new URLSearchParams({
      ...options,
      fieldManager: FIELD_MANAGER,
      fieldValidation: 'Strict',
    })
    const path = `${await this.#collectionOf(object)}/${object.metadata.name}?${query}`
    return this.#answerTo(path, { method: 'PATCH', body: object, contentType: APPLY_PATCH })
  }

  async #answerTo(path: string, sent: ApiRequest): Promise<ServerAnswer> {
    const answer = await this.#send(path, sent)
    const content = await json(answer)
    const isRefused = answer.statusCode! >= 400
    return {
      object: content as ServerObject,
      refusal: isRefused ? (content as { message: string }).message : undefined,
      warnings: warningsIn(answer),
    }
  }

  async #collectionOf({ apiVersion, kind, metadata }: ServerObject): Promise<string> {
    const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
    const resource = (await this.#resourcesOf(group)).find((one) => one.kind === kind)
    if (!resource) {
      throw new Error(`The server knows no ${kind} of ${apiVersion}`)
    }
    const { name, namespaced } = resource
    return namespaced ? `${group}/namespaces/${metadata.namespace}/${name}` : `${group}/${name}`
  }

  async #resourcesOf(group: string): Promise<readonly ApiResource[]> {
    const known = this.#resources.get(group)
    if (known) {
      return known
    }
    const { resources = [] } = (await json(await this.#send(group, { method: 'GET' }))) as {
      resources?: ApiResource[]
    }
    const own = resources.filter(({ name }) => !name.includes('/'))
    this.#resources.set(group, own)
    return own
  }

  async #send(path: string, { method, body, contentType }: ApiRequest): Promise<IncomingMessage> {
    const sent = request(`${this.#origin}${path}`, {
      method,
      ca: this.#ca,
      agent: false,
      headers: {
        'accept': 'application/json',
        'authorization': `Bearer ${this.#token}`,
        'content-type': contentType ?? 'application/json',
      },
    })
    sent.end(body && JSON.stringify(body))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return answer
  }
}

function accepted({ kind, metadata }: ServerObject, answer: ServerAnswer): ServerObject {
  if (answer.refusal !== undefined) {
    throw new Error(`${kind} ${metadata.name} was refused: ${answer.refusal}`)
  }
  return answer.object
}

/** The texts of the headers `Warning: 299 - "…"`. */
function warningsIn({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders
    .filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === 'warning')
    .map((value) => /^\d+ \S+ "([^]*)"$/.exec(value)?.[1] ?? value)
}
