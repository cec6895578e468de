import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { RegistryAccess } from '#tests/services/servers/docker_registry'

type Account = Omit<RegistryAccess, 'host'>

/** Gives tokens for what an account may do; one that is not known gets a token for nothing. */
export class TokenService {
  readonly account: Account = {
    accountName: 'robot$builder',
    accountSecret: randomBytes(12).toString('hex'),
  }
  /** Whom it knows besides. */
  readonly others: Account[] = []
  /** What an account may do in a repository; everything, if a test says nothing else. */
  rights: (repository: string, accountName: string | null) => readonly string[] = () => [
    'pull',
    'push',
    'delete',
  ]
  given = 0
  readonly #granted = new Map<string, Set<string>>()

  answer(request: IncomingMessage, response: ServerResponse): void {
    const { searchParams } = new URL(request.url!, 'http://registry')
    const { authorization } = request.headers
    const known = [this.account, ...this.others].find((one) => authorization === basicOf(one))
    const granted = known
      ? searchParams.getAll('scope').flatMap((scope) => this.#allowed(scope, known))
      : []
    const token = randomBytes(16).toString('hex')
    this.#granted.set(token, new Set(granted))
    this.given++
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ token, expires_in: 1800 }))
  }

  /** Whether who asks shows a token for all of this. */
  allows(request: IncomingMessage, needed: readonly string[]): boolean {
    const token = request.headers.authorization?.replace(/^Bearer /, '')
    const granted = this.#granted.get(token ?? '')
    return granted !== undefined && needed.every((access) => granted.has(access))
  }

  forgetAll(): void {
    this.#granted.clear()
  }

  #allowed(scope: string, { accountName }: Account): string[] {
    const [, repository = '', actions = ''] = scope.split(':')
    const rights = this.rights(repository, accountName)
    return actions
      .split(',')
      .filter((action) => rights.includes(action))
      .map((action) => `${repository}:${action}`)
  }
}

const basicOf = ({ accountName, accountSecret }: Account): string =>
  `Basic ${Buffer.from(`${accountName}:${accountSecret}`).toString('base64')}`
