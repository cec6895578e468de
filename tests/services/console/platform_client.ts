const ADMIN = { username: 'admin', password: 'start123' }

export interface Person {
  readonly realm: string
  readonly username: string
  readonly password: string
}

export const OPERATOR: Person = { realm: 'master', ...ADMIN }

type Body = object | FormData

/** Calls the public interface of a hub as one person or program. */
export class PlatformClient {
  readonly #origin: string
  readonly #token: string

  static async signIn(origin: string, { realm, username, password }: Person) {
    const login = { grant_type: 'password', username, password, realm_name: realm }
    return new PlatformClient(origin, await tokenOf(origin, login))
  }

  /** A program, such as a node. */
  static async ofProgram(origin: string, { id, secret }: { id: string; secret: string }) {
    const login = { grant_type: 'client_credentials', client_id: id, client_secret: secret }
    return new PlatformClient(origin, await tokenOf(origin, login))
  }

  private constructor(origin: string, token: string) {
    this.#origin = origin
    this.#token = token
  }

  /** The body of the answer. */
  read(path: string): Promise<any> {
    return this.#send('GET', path)
  }

  /** The record of the answer. */
  async create(path: string, body: Body): Promise<any> {
    const { data } = await this.#send('POST', path, body)
    return data
  }

  post(path: string, body: Body): Promise<any> {
    return this.#send('POST', path, body)
  }

  async #send(method: string, path: string, body?: Body): Promise<any> {
    const isForm = body instanceof FormData
    const response = await fetch(this.#origin + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body && !isForm && { 'content-type': 'application/json' }),
      },
      body: isForm || !body ? body : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) {
      throw new Error(`${method} ${path} answered ${response.status} ${text}`)
    }
    return text ? JSON.parse(text) : undefined
  }
}

async function tokenOf(origin: string, login: Record<string, string>): Promise<string> {
  const body = new URLSearchParams(login)
  const response = await fetch(`${origin}/auth/token`, { method: 'POST', body })
  const { access_token: token } = (await response.json()) as { access_token?: string }
  if (!token) {
    throw new Error(`The provider answered ${response.status}`)
  }
  return token
}
