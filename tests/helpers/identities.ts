import type { Actor } from '#kernel/actor'
import type { Authenticator } from '#auth/authenticator'
import { PLATFORM_PERMISSIONS } from '#auth/permission_names'
import { EndSignal } from '#kernel/end_signal'
import { clock } from '#kernel/clock'
import type { TokenSource, ValidActor } from './actors.js'

export const REALMS = {
  master: 'aaaaaaaa-0000-4000-8000-000000000001',
  other: 'aaaaaaaa-0000-4000-8000-000000000002',
} as const

const PERMISSIONS = [...PLATFORM_PERMISSIONS]

const actors = new Map<string, Actor>()

/** Creates a test identity. Returns its token. */
export function identity(
  traits: Partial<Omit<Actor, 'permissions'>> & { permissions?: string[] } = {}
) {
  const { permissions = PERMISSIONS, ...rest } = traits
  const actor: Actor = {
    kind: 'user',
    id: clock.uuid(),
    name: 'somebody',
    realmId: REALMS.master,
    realmName: 'master',
    clientId: null,
    expiresAt: Number.MAX_SAFE_INTEGER,
    ...rest,
    permissions: new Set(permissions),
  }
  const token = `test-${actor.id}`
  actors.set(token, actor)
  return { actor, token, headers: { authorization: `Bearer ${token}` } }
}

/** Accepts the tokens of test identities. */
export const testAuthenticator: Authenticator = { verify: (token) => actors.get(token) }

/** During the work, tokens last until it ends them. */
export async function withEndingTokens(
  work: (end: (reason?: unknown) => void) => Promise<void>
): Promise<void> {
  const ending = new EndSignal()
  testAuthenticator.guardConnection = (_token, connection) =>
    ending.addListener({ onEnd: () => connection.end(ending.reason) })
  try {
    await work((reason) => ending.end(reason))
  } finally {
    delete testAuthenticator.guardConnection
  }
}

/** The same identities, for vectors that describe the caller. */
export const testTokens: TokenSource = {
  valid: async ({ kind, permissions, realm }: ValidActor) => {
    const granted = permissions === 'all' ? PERMISSIONS : []
    return identity({ kind, permissions: granted, realmId: REALMS[realm], realmName: realm }).token
  },
  revoked: async () => 'test-revoked',
}
