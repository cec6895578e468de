/** Who sends a request of a test, as a file of vectors writes it. */
export type CaseActor = { token: 'none' | 'malformed' | 'revoked' } | ValidActor

export interface ValidActor {
  token: 'valid'
  kind: 'user' | 'client' | 'robot'
  permissions: 'all' | 'none'
  realm: 'master' | 'other'
}

/** Where the tokens of tests come from: whatever identity provider the suite runs with. */
export interface TokenSource {
  /** A token of an identity of that kind in that realm, which is created where it is not there yet. */
  valid(actor: ValidActor): Promise<string>
  /** A token that was good once. */
  revoked(): Promise<string>
}

const KNOWN = {
  token: ['none', 'malformed', 'revoked', 'valid'],
  kind: ['user', 'client', 'robot'],
  permissions: ['all', 'none'],
  realm: ['master', 'other'],
} as const

let source: TokenSource | undefined

/**
 * Names the source of tokens. Tests that need an identity run from then on.
 */
export function provideTokens(given: TokenSource): void {
  source = given
}

/** Whether the actor can be played now: a caller without a token always can. */
export function canPlay({ token }: CaseActor): boolean {
  return token === 'none' || token === 'malformed' || source !== undefined
}

/**
 * The headers with which an actor's requests are sent.
 */
export async function headersOf(actor: CaseActor): Promise<Record<string, string>> {
  const token = await tokenFor(actor)
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

/**
 * The token of an actor; undefined for one that sends none.
 */
export async function tokenFor(actor: CaseActor): Promise<string | undefined> {
  switch (actor.token) {
    case 'none':
      return undefined
    case 'malformed':
      return 'not-a-token'
    case 'revoked':
      return required().revoked()
    case 'valid':
      return required().valid(actor)
  }
}

function required(): TokenSource {
  if (!source) {
    throw new Error('No source of tokens is named: call provideTokens before the tests run')
  }
  return source
}

/**
 * Refuses an actor that is written in a way nobody could play.
 */
export function requireCaseActor(given: unknown): asserts given is CaseActor {
  const actor = (given ?? {}) as Record<string, unknown>
  requireKnown(actor, 'token')
  if (actor.token === 'valid') {
    requireKnown(actor, 'kind')
    requireKnown(actor, 'permissions')
    requireKnown(actor, 'realm')
  }
}

function requireKnown(actor: Record<string, unknown>, part: keyof typeof KNOWN): void {
  const known: readonly unknown[] = KNOWN[part]
  if (!known.includes(actor[part])) {
    throw new TypeError(
      `the ${part} ${JSON.stringify(actor[part])} of the actor is unknown; known are ${known.join(', ')}`
    )
  }
}
