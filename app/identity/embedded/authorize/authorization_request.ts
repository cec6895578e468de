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
import { AuthorizationFailure, InvalidLink } from './authorization_failure.js'

export type Parameters = Readonly<Record<string, unknown>>

/** The parameters of an authorization request, which the login form resubmits. */
export const AUTHORIZATION_PARAMETERS = [
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

type AuthorizationParameters = Partial<Record<(typeof AUTHORIZATION_PARAMETERS)[number], string>>

/** The redirect target of a response. */
interface ReturnAddress {
  readonly client: ClientAccount
  readonly redirectUri: string
}

export interface AuthorizationRequest extends ReturnAddress {
  readonly text: AuthorizationParameters
  readonly scope: string
  readonly codeChallenge: string
  /** The realm to sign in to, if determined. */
  readonly realm: Realm | undefined
}

/** The OAuth error code and its description. */
type ProtocolError = readonly [error: string, description: string]

const CHALLENGE = /^[\w-]{43}$/
const MAX_NONCE_LENGTH = 1024
const NUMBER = /^\d{1,9}$/
const OTHER_REALM = 'other'

/** Parses an authorization request. Nothing is sent to an unregistered address. */
export async function readAuthorizationRequest(
  parameters: Parameters
): Promise<AuthorizationRequest> {
  const address = await returnAddressOf(parameters)
  const text = textOf(parameters)
  const realm = await realmOf(text, address.client)
  const protocolError =
    checkForm(parameters) ??
    checkFlow(text) ??
    checkDetails(text) ??
    checkClient(address.client, realm)
  if (protocolError || realm === OTHER_REALM) {
    const [error, description] = protocolError!
    const issuer = issuerOf(realm === OTHER_REALM ? MASTER : (realm?.name ?? MASTER))
    throw new AuthorizationFailure(
      address.redirectUri,
      { error, description, state: text.state },
      issuer
    )
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
    throw InvalidLink.unknownClient()
  }
  if (typeof redirectUri !== 'string' || !mayReturnTo(client, redirectUri)) {
    throw InvalidLink.foreignAddress()
  }
  return { client, redirectUri }
}

/** Empty parameters count as missing. */
function textOf(parameters: Parameters): AuthorizationParameters {
  const sent = AUTHORIZATION_PARAMETERS.map((name) => [name, parameters[name]] as const)
  return Object.fromEntries(sent.filter(([, value]) => typeof value === 'string' && value !== ''))
}

/** The requested realm, or that of the client if it serves no other. */
async function realmOf(
  text: AuthorizationParameters,
  client: ClientAccount
): Promise<Realm | typeof OTHER_REALM | undefined> {
  const named = text.realm_id ?? text.realm_name
  if (named !== undefined) {
    const realm = await findRealm(named)
    return realm && servesRealm(client, realm.id) ? realm : OTHER_REALM
  }
  return client.realmName === MASTER ? undefined : { id: client.realmId, name: client.realmName }
}

function checkForm(parameters: Parameters): ProtocolError | undefined {
  const repeated = AUTHORIZATION_PARAMETERS.find(
    (name) => !['undefined', 'string'].includes(typeof parameters[name])
  )
  return repeated && ['invalid_request', `${repeated} is given more than once.`]
}

function checkFlow(text: AuthorizationParameters): ProtocolError | undefined {
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

function checkDetails(text: AuthorizationParameters): ProtocolError | undefined {
  if ((text.response_mode ?? 'query') !== 'query') {
    return ['invalid_request', 'Only response_mode=query is offered.']
  }
  if ((text.nonce?.length ?? 0) > MAX_NONCE_LENGTH) {
    return ['invalid_request', 'The nonce is too long.']
  }
  if (!NUMBER.test(text.max_age ?? '0')) {
    return ['invalid_request', 'max_age must be a number of seconds.']
  }
  return undefined
}

function checkClient(client: ClientAccount, realm: unknown): ProtocolError | undefined {
  if (!allowsGrantType(client, 'authorization_code')) {
    return ['unauthorized_client', 'The client is not registered for this kind of grant.']
  }
  return realm === OTHER_REALM
    ? ['invalid_request', 'The client is not for users of this realm.']
    : undefined
}
