import { texts } from '#http/texts'
import { mayReturnSignedOut } from '#identity/clients/return_addresses'
import { findClient } from '#identity/embedded/accounts'
import { InvalidLink } from '#identity/embedded/authorize/authorization_failure'
import type { Parameters } from '#identity/embedded/authorize/authorization_request'
import { verifyIdToken } from '#identity/embedded/tokens/verify'

/** The parameters of OpenID Connect RP-Initiated Logout, which the form of the page sends again. */
export const LOGOUT_PARAMETERS = [
  'id_token_hint',
  'client_id',
  'post_logout_redirect_uri',
  'state',
] as const

export interface SignOutRequest {
  readonly text: Readonly<Partial<Record<(typeof LOGOUT_PARAMETERS)[number], string>>>
  /** The user whom the client wants to sign out, if it proves that it knows. */
  readonly userId: string | undefined
  /** Where the browser goes afterwards. */
  readonly returnTo: URL | undefined
}

/** Parses a request to sign out. A browser is sent to registered addresses only. */
export async function readSignOutRequest(sent: Parameters): Promise<SignOutRequest> {
  const text: Partial<Record<(typeof LOGOUT_PARAMETERS)[number], string>> = {}
  for (const name of LOGOUT_PARAMETERS) {
    const value = sent[name]
    if (typeof value === 'string' && value !== '') {
      text[name] = value
    }
  }
  const hint = text.id_token_hint ? await verifyIdToken(text.id_token_hint) : undefined
  const clientId = hint?.aud ?? text.client_id
  if (hint && text.client_id !== undefined && text.client_id !== hint.aud) {
    throw new InvalidLink(texts.get('login.unusable.client'))
  }
  return { text, userId: hint?.sub, returnTo: await returnAddress(text, clientId) }
}

async function returnAddress(
  { post_logout_redirect_uri: uri, state }: SignOutRequest['text'],
  clientId: string | undefined
): Promise<URL | undefined> {
  if (uri === undefined) {
    return undefined
  }
  const client = clientId === undefined ? undefined : await findClient(clientId, undefined)
  if (!client?.active) {
    throw InvalidLink.unknownClient()
  }
  if (!mayReturnSignedOut(client, uri)) {
    throw InvalidLink.foreignAddress()
  }
  const url = new URL(uri)
  if (state !== undefined) {
    url.searchParams.append('state', state)
  }
  return url
}
