import { mayReturnTo } from '#identity/clients/return_addresses'
import {
  findClient,
  findRealm,
  MASTER,
  type ClientAccount,
  type Realm,
} from '#identity/embedded/accounts'
import { issuerOf } from '#identity/embedded/addresses'
import { allowsGrantType, servesRealm } from '#identity/embedded/oauth/clients'
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

/** What is wrong with a request: the word that OAuth has for it, and a sentence. */
type Complaint = readonly [error: string, description: string]

const CHALLENGE = /^[\w-]{43}$/
const LONGEST_NONCE = 1024
const NUMBER = /^\d{1,9}$/
const OTHER_REALM = 'other'

/**
 * Reads what a client asks a browser's user for. Nothing is sent to an address that is not registered for the client.
 */
export async function readAuthorizationRequest(
  parameters: Parameters
): Promise<AuthorizationRequest> {
  const address = await returnAddressOf(parameters)
  const text = textOf(parameters)
  const realm = await realmOf(text, address.client)
  const complaint =
    complaintAboutForm(parameters) ??
    complaintAboutFlow(text) ??
    complaintAboutDetails(text) ??
    complaintAboutClient(address.client, realm)
  if (complaint || realm === OTHER_REALM) {
    const [error, description] = complaint!
    const issuer = issuerOf(realm === OTHER_REALM ? MASTER : (realm?.name ?? MASTER))
    throw new RequestRefused(address.redirectUri, { error, description, state: text.state }, issuer)
  }
  return {
    ...address,
    text,
    scope: grantedScope(text.scope),
    codeChallenge: text.code_challenge!,
    realm,
  }
}

async function returnAddressOf(parameters: Parameters): Promise<ReturnAddress> {
  const { client_id: id, redirect_uri: redirectUri } = parameters
  const { realm_id: realmId, realm_name: realmName } = textOf(parameters)
  const client = typeof id === 'string' ? await findClient(id, realmId ?? realmName) : undefined
  if (!client?.active) {
    throw UnusableLink.unknownClient()
  }
  if (typeof redirectUri !== 'string' || !mayReturnTo(client, redirectUri)) {
    throw UnusableLink.foreignAddress()
  }
  return { client, redirectUri }
}

/** What is sent without a value counts as not sent. */
function textOf(parameters: Parameters): Text {
  const sent = CARRIED.map((name) => [name, parameters[name]] as const)
  return Object.fromEntries(sent.filter(([, value]) => typeof value === 'string' && value !== ''))
}

/** The realm that was asked for; else the client's own, where that serves no other. */
async function realmOf(
  text: Text,
  client: ClientAccount
): Promise<Realm | typeof OTHER_REALM | undefined> {
  const named = text.realm_id ?? text.realm_name
  if (named !== undefined) {
    const realm = await findRealm(named)
    return realm && servesRealm(client, realm.id) ? realm : OTHER_REALM
  }
  return client.realmName === MASTER ? undefined : { id: client.realmId, name: client.realmName }
}

function complaintAboutForm(parameters: Parameters): Complaint | undefined {
  const twice = CARRIED.find((name) => !['undefined', 'string'].includes(typeof parameters[name]))
  return twice && ['invalid_request', `${twice} is there more than once.`]
}

function complaintAboutFlow(text: Text): Complaint | undefined {
  if (text.response_type === undefined) {
    return ['invalid_request', 'response_type is missing.']
  }
  if (text.response_type !== 'code') {
    return ['unsupported_response_type', 'Only response_type=code is offered.']
  }
  if (text.code_challenge_method !== 'S256' || !CHALLENGE.test(text.code_challenge ?? '')) {
    return ['invalid_request', 'A code_challenge with code_challenge_method=S256 is needed.']
  }
  return undefined
}

function complaintAboutDetails(text: Text): Complaint | undefined {
  if ((text.response_mode ?? 'query') !== 'query') {
    return ['invalid_request', 'Only response_mode=query is offered.']
  }
  if ((text.nonce?.length ?? 0) > LONGEST_NONCE) {
    return ['invalid_request', 'The nonce is too long.']
  }
  if (!NUMBER.test(text.max_age ?? '0')) {
    return ['invalid_request', 'max_age is no number of seconds.']
  }
  return undefined
}

function complaintAboutClient(client: ClientAccount, realm: unknown): Complaint | undefined {
  if (!allowsGrantType(client, 'authorization_code')) {
    return ['unauthorized_client', 'The client is not registered for this kind of grant.']
  }
  return realm === OTHER_REALM
    ? ['invalid_request', 'The client is not for users of this realm.']
    : undefined
}
