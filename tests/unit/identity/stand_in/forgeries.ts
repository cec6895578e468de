import { createHmac } from 'node:crypto'

import { SigningKey, unsigned } from './signing_key.js'
import type { StandInProvider } from './stand_in_provider.js'

const stranger = new SigningKey()
const seconds = () => Math.floor(Date.now() / 1000)

/** Invalid tokens, by what is wrong with each. */
export const FORGERIES: Record<string, (standIn: StandInProvider) => string> = {
  'that is not signed': (standIn) => `${unsigned({ alg: 'none', typ: 'JWT' }, standIn.claims())}.`,
  'that is not signed and carries a signature all the same': (standIn) => {
    const [, , signature] = standIn.mint().split('.')
    return `${unsigned({ alg: 'none', kid: standIn.keys.siteA.id }, standIn.claims())}.${signature}`
  },
  'that is signed with the public key as a shared secret': (standIn) => {
    const { id, pem } = standIn.keys.siteA
    const signed = unsigned({ alg: 'HS256', typ: 'JWT', kid: id }, standIn.claims())
    return `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`
  },
  'whose claims were changed after it was signed': (standIn) => {
    const [header, , signature] = standIn.mint().split('.')
    const claims = unsigned({}, { ...standIn.claims(), sub: 'somebody-else' }).split('.')[1]
    return `${header}.${claims}.${signature}`
  },
  'that another key signed under the name of a known one': (standIn) =>
    stranger.sign(standIn.claims(), { kid: standIn.keys.siteA.id }),
  'that a key of another provider signed': (standIn) => stranger.sign(standIn.claims()),
  'that brings the key it is to be checked with': (standIn) =>
    stranger.sign(standIn.claims(), { jwk: stranger.jwk, jku: `${standIn.url}/jwks` }),
  'of another issuer': (standIn) => standIn.mint({ iss: 'https://elsewhere.example' }),
  'of an issuer that only begins like ours': (standIn) =>
    standIn.mint({ iss: `${standIn.url}.elsewhere.example/realms/site-a` }),
  'that is older than its time': (standIn) => standIn.mint({ exp: seconds() - 10 }),
  'that is not good yet': (standIn) => standIn.mint({ nbf: seconds() + 60 }),
  'that never ends': (standIn) => standIn.mint({ exp: undefined }),
  'of nobody': (standIn) => standIn.mint({ sub: undefined }),
  'that is good for refreshing only': (standIn) => standIn.mint({ kind: 'refresh_token' }),
  'that only says who somebody is': (standIn) => standIn.mint({ kind: 'id_token' }),
  'that is bound to a certificate': (standIn) => standIn.mint({ cnf: { 'x5t#S256': 'abc' } }),
  'of a type that is no access token': (standIn) =>
    standIn.keys.siteA.sign(standIn.claims(), { typ: 'logout+jwt' }),
  'with a condition that is not understood': (standIn) =>
    standIn.keys.siteA.sign(standIn.claims(), { 'crit': ['unheard-of'], 'unheard-of': true }),
  'that is no token at all': () => 'nonsense',
  'that only looks like one': () => 'a.b.c',
  'that is longer than any token': (standIn) => standIn.mint({ padding: 'x'.repeat(16 * 1024) }),
}

type Claims = Record<string, unknown>

/** Responses about a valid token that must be rejected. */
export const LIES: Record<string, (honest: Claims, standIn: StandInProvider) => Claims> = {
  'about somebody else': (honest) => ({ ...honest, sub: 'b7a6b0ba-0000-4000-8000-000000000000' }),
  'about a token with another end': (honest) => ({ ...honest, exp: Number(honest.exp) + 3600 }),
  'about a token of another realm': (honest, standIn) => ({
    ...honest,
    realm_id: standIn.realms.master.id,
  }),
  'about another kind of subject': (honest) => ({ ...honest, sub_kind: 'client' }),
  'about a refresh token': (honest) => ({ ...honest, kind: 'refresh_token' }),
  'about a token that is bound to a certificate': (honest) => ({ ...honest, cnf: {} }),
  'that does not say it is active': ({ active, ...honest }) => honest,
  'that says so in words': (honest) => ({ ...honest, active: 'true' }),
  'of a kind of subject nobody knows': (honest) => ({ ...honest, sub_kind: 'wizard' }),
}
