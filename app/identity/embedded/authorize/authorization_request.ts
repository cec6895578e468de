import { redirectUrisOf } from '#identity/clients/redirect_uris'
import {
  findClient,
  findRealm,
  MASTER,
  type ClientAccount,
  type Realm,
} from '#identity/embedded/accounts'
import { issuerOf } from '#identity/embedded/addresses'
import { requireGrantType, servesRealm } from '#identity/embedded/oauth/clients'
import { OAuthFailure } from '#identity/embedded/oauth/oauth_failure'
import { grantedScope } from '#identity/embedded/oauth/scopes'
import { RequestRefused, UnusableLink } from './refusals.js'

export type Parameters = Readonly<Record<string, unknown>>

/** What a login needs to know, and a form has to carry on. */
export const CARRIED = [
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'max_age',
  'login_hint',
  'realm_id',
  'realm_name',
] as const

type Text = Partial<Record<(typeof CARRIED)[number], string>>

/** Where an answer may go to. */
export interface ReturnAddress {
  readonly client: ClientAccount
  readonly redirectUri: string
}

export interface AuthorizationRequest extends ReturnAddress {
  readonly text: Text
  readonly scope: string
  readonly codeChallenge: string
  /** The realm to sign in to, where that is settled. */
  readonly realm: Realm | undefined
}

const CHALLENGE = /^[\w-]{43}$/
const LONGEST_NONCE = 1024
const NUMBER = /^\d{1,9}$/

/**
 * Reads what a client asks a browser's user for. Nothing is sent to an address that is not registered for the client.
 */
export async function readAuthorizationRequest(
  parameters: Parameters
): Promise<AuthorizationRequest> {
  const address = await returnAddressOf(parameters)
  const refuse = (error: string, description: string) => {
    const { state, realm_name: realm = MASTER } = parameters as Text
    throw new RequestRefused(address.redirectUri, { error, description, state }, issuerOf(realm))
  }
  const twice = CARRIED.find((name) => !isTextOrNothing(parameters[name]))
  if (twice) {
    refuse('invalid_request', `${twice} is there more than once.`)
  }
  const text = textOf(parameters)
  const complaint = complaintAbout(text)
  if (complaint) {
    refuse(...complaint)
  }
  requireOffered(address.client, refuse)
  const realm = await realmOf(text, address.client)
  if (realm === 'other') {
    refuse('invalid_request', 'The client is not for users of this realm.')
  }
  return {
    ...address,
    text,
    scope: grantedScope(text.scope),
    codeChallenge: text.code_challenge!,
    realm: realm as Realm | undefined,
  }
}

async function returnAddressOf(parameters: Parameters): Promise<ReturnAddress> {
  const { client_id: id, redirect_uri: redirectUri } = parameters
  const realm = parameters.realm_id ?? parameters.realm_name
  const client =
    typeof id === 'string'
      ? ((typeof realm === 'string' && (await findClient(id, realm))) ||
        (await findClient(id, undefined)))
      : undefined
  if (!client?.active) {
    throw UnusableLink.unknownClient()
  }
  if (typeof redirectUri !== 'string' || !redirectUrisOf(client.redirectUri).includes(redirectUri)) {
    throw UnusableLink.foreignAddress()
  }
  return { client, redirectUri }
}

const isTextOrNothing = (value: unknown) => value === undefined || typeof value === 'string'

/** What is sent without a value counts as not sent. */
function textOf(parameters: Parameters): Text {
  const sent = CARRIED.map((name) => [name, parameters[name]]).filter(([, value]) => value)
  return Object.fromEntries(sent) as Text
}

function complaintAbout(text: Text): [error: string, description: string] | undefined {
  if (text.response_type !== 'code') {
    return text.response_type === undefined
      ? ['invalid_request', 'response_type is missing.']
      : ['unsupported_response_type', 'Only response_type=code is offered.']
  }
  if (text.response_mode !== undefined && text.response_mode !== 'query') {
    return ['invalid_request', 'Only response_mode=query is offered.']
  }
  if (text.code_challenge_method !== 'S256' || !CHALLENGE.test(text.code_challenge ?? '')) {
    return ['invalid_request', 'A code_challenge with code_challenge_method=S256 is needed.']
  }
  if ((text.nonce?.length ?? 0) > LONGEST_NONCE) {
    return ['invalid_request', 'The nonce is too long.']
  }
  if (text.max_age !== undefined && !NUMBER.test(text.max_age)) {
    return ['invalid_request', 'max_age is no number of seconds.']
  }
  return undefined
}

function requireOffered(
  client: ClientAccount,
  refuse: (error: string, description: string) => never | void
): void {
  try {
    requireGrantType(client, 'authorization_code')
  } catch (error) {
    const { error: code, message } = error as OAuthFailure
    refuse(code, message)
  }
}

/** The realm that was asked for; else the client's own, where that serves no other. */
async function realmOf(text: Text, client: ClientAccount): Promise<Realm | 'other' | undefined> {
  const named = text.realm_id ?? text.realm_name
  if (named === undefined) {
    return client.realmName === MASTER
      ? undefined
      : { id: client.realmId, name: client.realmName }
  }
  const realm = await findRealm(named)
  return realm && servesRealm(client, realm.id) ? realm : 'other'
}
